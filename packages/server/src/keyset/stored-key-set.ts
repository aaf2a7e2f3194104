import { buildSignerKey, readKeySet, type SignerKey, type SignerKeys } from '@countersign/core'

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
  // Only RSA keys can be used with more than one.
  const isWhole = algs.length === 1 || algs.length === buildSignerKey(kid, keyObject, 'RSA').algs.length
  return isWhole ? [jwk] : algs.map((one) => ({ ...jwk, alg: one }))
}
