import { readSignerCertificate } from '../certificate/read-certificate.ts'
import { readGivenKeySet } from '../key/given-key-set.ts'
import { thumbprintOf } from '../key/signer-key.ts'
import { isSameSetting } from '../trust/is-same-setting.ts'
import type { SignerSettings } from './signer-settings.ts'

/** The settings that decide which keys a signer accepts, apart from those that it fetches or that are pushed. */
export interface KeyRules extends Pick<SignerSettings, 'jwks' | 'kid' | 'pinnedKeyThumbprints'> {
  /** Of `certPem`. */
  readonly certificate: { readonly fingerprint: string } | null
  /** Of `certPems`. */
  readonly certificates: readonly { readonly fingerprint: string; readonly thumbprint: string }[]
}

/** A key that a signer names itself. */
interface GivenKey {
  /** Equal for keys that verify the same tokens. */
  readonly name: string
  /** Undefined for `certPem`: a change of it ends all sessions. */
  readonly thumbprint?: string
}

export function givenKeys({ jwks, kid, certificate, certificates }: KeyRules): readonly GivenKey[] {
  const keys = jwks === null ? [] : [...readGivenKeySet('jwks', jwks).keys.values()]
  return [
    ...(certificate ? [{ name: nameOf(kid ?? certificate.fingerprint, certificate.fingerprint) }] : []),
    ...certificates.map(({ fingerprint, thumbprint }) => ({ name: nameOf(fingerprint, fingerprint), thumbprint })),
    ...keys.map(({ kid: name, thumbprint, algs }) => ({ name: nameOf(name, thumbprint, ...algs), thumbprint })),
  ]
}

const nameOf = (...parts: readonly string[]): string => JSON.stringify(parts)

/** The thumbprints of the keys that a change takes from `jwks` or `certPems`. The sessions that rest on them end. */
export function removedKeys(current: KeyRules, next: KeyRules): string[] {
  const sets = [current, next].map(({ jwks, certificates }) => ({ jwks, certificates }))
  return isSameSetting('jwks', sets[0], sets[1]) ? [] : missingThumbprints(givenKeys(current), givenKeys(next))
}

/** The thumbprints of the keys that a change adds to `jwks` or `certPems`. */
export function addedKeys(current: KeyRules, next: KeyRules): string[] {
  return removedKeys(next, current)
}

function missingThumbprints(keys: readonly GivenKey[], others: readonly GivenKey[]): string[] {
  const kept = new Set(others.map(({ name }) => name))
  return [...new Set(keys.flatMap(({ name, thumbprint }) => (kept.has(name) ? [] : (thumbprint ?? []))))]
}

type PinnedKeyRules = KeyRules & Pick<SignerSettings, 'certPem'>

/**
 * Whether the pins of `next` exclude a key that could be used before, so that its sessions end. `stored` are the thumbprints of the keys that
 * were fetched or pushed.
 */
export function excludesKeys(current: PinnedKeyRules, next: PinnedKeyRules, stored: readonly string[]): boolean {
  const [before, after] = [current.pinnedKeyThumbprints, next.pinnedKeyThumbprints]
  if (after.length === 0 || isSameSetting('pinnedKeyThumbprints', before, after)) return false
  const given = givenKeys(current).map(({ thumbprint }) => thumbprint ?? certificateThumbprint(current.certPem ?? ''))
  const used = [...stored, ...given].filter((thumbprint) => before.length === 0 || before.includes(thumbprint))
  return used.some((thumbprint) => !after.includes(thumbprint))
}

function certificateThumbprint(certPem: string): string {
  return thumbprintOf(readSignerCertificate(certPem).publicKey)
}
