import type { KeyObject } from 'node:crypto'
import { algorithmsOf, readKeySet, type SignerKey, type SignerKeys } from './core-keys.ts'

/** The keys of a signer as the store has them. */
export interface StoredKeySet {
  readonly url: string
  readonly jwks: string
  readonly fetchedAt: number
}

/**
 * The admitted keys as a JWKS, the same text for the same keys. What else a provider publishes is not stored: it may hold secrets.
 */
export function formatKeySet(keys: SignerKeys): string {
  const entries = [...keys.values()].sort((a, b) => (a.kid < b.kid ? -1 : 1)).flatMap(formatKey)
  return JSON.stringify({ keys: entries })
}

/** Reads them back, through the same admission as a fetched set. Throws `KeySetError` for what is none. */
export function readStoredKeys(jwks: string): SignerKeys {
  return readKeySet(Buffer.from(jwks)).keys
}

/** A key that was published several times, for an algorithm each, is written in the same way. */
function formatKey({ kid, alg, algs, keyObject }: SignerKey): object[] {
  const jwk = { kid, use: 'sig', ...keyObject.export({ format: 'jwk' }) }
  if (alg !== undefined) return [{ ...jwk, alg }]
  return algs.length === countAlgorithms(keyObject) ? [jwk] : algs.map((one) => ({ ...jwk, alg: one }))
}

/** Only RSA keys can be used with more than one. */
function countAlgorithms({ asymmetricKeyType }: KeyObject): number {
  return asymmetricKeyType === 'rsa' ? algorithmsOf('RSA').length : 1
}
