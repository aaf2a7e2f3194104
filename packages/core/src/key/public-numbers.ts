import type { JsonWebKey, KeyObject } from 'node:crypto'

const known = new WeakMap<KeyObject, JsonWebKey>()

/** The numbers that make a public key, as a JWK writes them; once for each key, because writing one out takes as long as signing. */
export function publicNumbersOf(key: KeyObject): JsonWebKey {
  return known.get(key) ?? rememberPublicNumbers(key, key.export({ format: 'jwk' }))
}

/** For whoever has read them from where the key came from. */
export function rememberPublicNumbers(key: KeyObject, numbers: JsonWebKey): JsonWebKey {
  known.set(key, numbers)
  return numbers
}
