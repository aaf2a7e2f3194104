import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate, mintKey, mintKeySet } from '@countersign/testkit'
import { thumbprintOf } from '../key/signer-key.ts'
import { addedKeys, excludesKeys, type KeyRules, removedKeys } from './removed-keys.ts'

const NONE: KeyRules & { certPem: string | null } = {
  jwks: null,
  kid: null,
  certPem: null,
  certificate: null,
  certificates: [],
  pinnedKeyThumbprints: [],
}
const [ONE, TWO] = [mintKey('P-256', 'one'), mintKey('P-256', 'two')]
const setOf = (...keys: readonly object[]) => ({ ...NONE, jwks: mintKeySet(...(keys as never[])) as KeyRules['jwks'] })
const print = (key: typeof ONE) => thumbprintOf(key.publicKey)
const certified = (...names: readonly string[]) => ({
  ...NONE,
  certificates: names.map((name) => ({ fingerprint: name, thumbprint: `key of ${name}` })),
})

test('H-11 the keys that a change takes away are those that verify a token no longer', () => {
  assert.deepEqual(removedKeys(setOf(ONE, TWO), setOf(TWO)), [print(ONE)])
  assert.deepEqual(removedKeys(setOf(ONE), setOf(ONE, TWO)), [])
  assert.deepEqual(addedKeys(setOf(ONE), setOf(ONE, TWO)), [print(TWO)])
  assert.deepEqual(removedKeys(setOf(ONE, TWO), setOf(TWO, ONE)), [])
  assert.deepEqual(removedKeys(setOf(ONE), setOf({ ...ONE.jwk, kid: 'renamed' })), [print(ONE)])
  assert.deepEqual(removedKeys(certified('a', 'b'), certified('b', 'c')), ['key of a'])
  assert.deepEqual(removedKeys(certified('a'), setOf(ONE)), ['key of a'])
  assert.deepEqual(removedKeys({ ...NONE, certificate: { fingerprint: 'a' } }, certified('a', 'b')), [])
})

test('F-17 pins exclude a key only if it could be used before', () => {
  const pins = (...thumbprints: readonly string[]) => ({ ...NONE, pinnedKeyThumbprints: thumbprints })
  assert.equal(excludesKeys(pins(), pins('a'), ['a']), false)
  assert.equal(excludesKeys(pins(), pins('a'), ['a', 'b']), true)
  assert.equal(excludesKeys(pins('a'), pins('a', 'b'), ['a', 'b']), false)
  assert.equal(excludesKeys(pins('a', 'b'), pins('b'), ['a', 'b']), true)
  assert.equal(excludesKeys(pins('a', 'b'), pins('b'), ['b']), false)
  assert.equal(excludesKeys(pins('a'), pins(), ['a', 'b']), false)
  const { pem, publicKey } = makeTestCertificate()
  const static_ = { ...NONE, certPem: pem, certificate: { fingerprint: 'f' } }
  assert.equal(excludesKeys(static_, { ...static_, pinnedKeyThumbprints: [thumbprintOf(publicKey)] }, []), false)
  assert.equal(excludesKeys(static_, { ...static_, pinnedKeyThumbprints: ['x'] }, []), true)
})
