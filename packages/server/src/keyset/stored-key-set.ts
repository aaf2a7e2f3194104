import { buildSignerKey, readKeySet, type SignerKey, type SignerKeys } from '@countersign/core'

/** Formats the accepted keys as a JWKS, the same text for the same keys. Other members are not stored: they may contain secrets. */
export function formatKeySet(keys: SignerKeys): string {
  const entries = [...keys.values()].sort((a, b) => (a.kid < b.kid ? -1 : 1)).flatMap(formatKey)
  return JSON.stringify({ keys: entries })
}

/** Reads stored keys with the checks of a fetched key set. Throws `KeySetError` when the text is not a key set. */
export function readStoredKeys(jwks: string): SignerKeys {
  return readKeySet(Buffer.from(jwks)).keys
}

/**
 * A key that was published several times, once per algorithm, is written the same way. One that was published as a certificate is written as that,
 * because its dates count.
 */
function formatKey({ kid, alg, algs, keyObject, x5c }: SignerKey): object[] {
  const jwk = { kid, use: 'sig', ...(x5c === undefined ? keyObject.export({ format: 'jwk' }) : { x5c: [x5c] }) }
  if (alg !== undefined) return [{ ...jwk, alg }]
  // Only RSA keys can be used with several algorithms.
  const hasAllAlgorithms = algs.length === 1 || algs.length === buildSignerKey(kid, keyObject, 'RSA').algs.length
  return hasAllAlgorithms ? [jwk] : algs.map((algorithm) => ({ ...jwk, alg: algorithm }))
}
