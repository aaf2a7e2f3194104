import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KeySetError, readKeySet } from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'
import { JSON_WORDS } from './json-target.ts'

const JWKS: { keys: unknown[] } = JSON.parse(readFileSync(join(import.meta.dirname, '../seeds/jwks.json'), 'utf8'))
/** One set per key. Keys are small, because large keys cost time in OpenSSL. */
const SETS = [...JWKS.keys.map((key) => [key]), []].map((keys) => Buffer.from(JSON.stringify({ keys })))
const WORDS = [
  '"kty":"RSA",',
  '"kty":"EC",',
  '"kty":"OKP",',
  '"kty":"oct",',
  '"k":"AAAA",',
  '"d":"AA",',
  '"use":"enc",',
  '"key_ops":["sign"],',
  '"alg":"HS256",',
  '"alg":"RS256",',
  '"crv":"P-384",',
  '"crv":"secp256k1",',
  '"e":"AQ",',
  '"n":"AQAB",',
  '"x":"AA",',
  '"kid":"",',
  '"kid":1,',
  '"x5c":["AAAA"],',
  '"x5c":[],',
  '{"kty":"RSA"},',
  ...JSON_WORDS,
]

/** The JWKS parser. It must return only keys that can verify signatures, and short warnings. */
export const keySetTarget: FuzzTarget = {
  name: 'jwks',
  createInputs: (random) => createMutator(random, { corpus: SETS, dictionary: WORDS, maxLength: 16 * 1024 }),
  accepts: (input) => {
    try {
      const { keys, warnings } = readKeySet(Buffer.from(input))
      for (const [kid, key] of keys) {
        assert.ok(kid !== '' && key.kid === kid && key.algs.length > 0 && key.signatureBytes > 0)
        assert.equal(key.keyObject.type, 'public')
      }
      assert.ok(warnings.every((warning) => warning.length < 500))
      return keys.size > 0
    } catch (error) {
      if (error instanceof KeySetError) return false
      throw error
    }
  },
}
