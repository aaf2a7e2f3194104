import type { JsonWebKey, KeyObject } from 'node:crypto'

const known = new WeakMap<KeyObject, JsonWebKey>()

/** The numbers of a public key as JWK members. Cached per key, because an export takes as long as a signature. */
export function publicNumbersOf(key: KeyObject): JsonWebKey {
  return known.get(key) ?? rememberPublicNumbers(key, key.export({ format: 'jwk' }))
}

/** Stores numbers that were parsed together with the key, which saves the export. */
export function rememberPublicNumbers(key: KeyObject, numbers: JsonWebKey): JsonWebKey {
  known.set(key, numbers)
  return numbers
}
