import { hash } from 'node:crypto'
import { givenKeys } from '@countersign/core'
import type { StoredSigner } from '../store/signer-row.ts'

/** The keys of a signer, as far as its settings name them. */
interface KeySource {
  /** Equal for signers that take their keys from the same place. */
  readonly digest: string
  /** The thumbprints of the keys, where the settings contain them. */
  readonly thumbprints: readonly string[] | undefined
}

const sources = new WeakMap<StoredSigner, KeySource>()

/** Where the keys of a signer come from. */
export function keySourceOf(signer: StoredSigner): KeySource {
  let source = sources.get(signer)
  if (!source) {
    source = buildKeySource(signer)
    sources.set(signer, source)
  }
  return source
}

function buildKeySource(signer: StoredSigner): KeySource {
  const { jwksEndpoint, jwksCaPem, certificate, kid, jwks, certPems, pushedKeys } = signer
  const place = [jwksEndpoint, jwksCaPem, certificate?.fingerprint ?? null, certificate && kid, pushedKeys !== null]
  const areGiven = jwks !== null || certPems !== null
  const thumbprints = areGiven ? givenKeys(signer).flatMap(({ thumbprint }) => thumbprint ?? []) : undefined
  return { digest: hash('sha256', JSON.stringify([place, jwks, certPems]), 'base64url'), thumbprints }
}

/** Whether the signer has the key that verified a token; undefined when that is not known. */
export function hasKey(
  signer: StoredSigner,
  { keySource, keyThumbprint }: { readonly keySource: string; readonly keyThumbprint: string | null },
): boolean | undefined {
  const { digest, thumbprints } = keySourceOf(signer)
  const { pinnedKeyThumbprints: pins } = signer
  if (keyThumbprint === null) return digest === keySource && pins.length === 0 ? true : undefined
  if (pins.length > 0 && !pins.includes(keyThumbprint)) return false
  if (thumbprints) return thumbprints.includes(keyThumbprint)
  return digest === keySource ? true : undefined
}
