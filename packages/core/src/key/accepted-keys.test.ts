import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey, mintKeySet } from '@countersign/testkit'
import fc from 'fast-check'
import { areAllPinned, continuesKeys, keysUntil, pinnedKeys, thumbprintsOf } from './accepted-keys.ts'
import { readKeySet } from './key-set.ts'
import { thumbprintOf } from './signer-key.ts'

const [ONE, TWO] = [mintKey('P-256', 'one'), mintKey('Ed25519', 'two')]
const keys = readKeySet(mintKeySet(ONE, TWO) as never).keys
const pinOf = (key: typeof ONE) => thumbprintOf(key.publicKey)

test('F-17 with pins only the pinned keys are used, and without any all are', () => {
  assert.deepEqual(pinnedKeys(keys, []), { used: keys, ignored: [] })
  const { used, ignored } = pinnedKeys(keys, [pinOf(TWO), 'x'])
  assert.deepEqual([[...used.keys()], ignored.map(({ kid }) => kid)], [[TWO.kid], [ONE.kid]])
  assert.equal(areAllPinned(keys, [pinOf(ONE), pinOf(TWO)]), true)
  assert.equal(areAllPinned(keys, [pinOf(ONE)]), false)
  assert.equal(areAllPinned(keys, []), false, 'without pins no key is vouched for')
  assert.deepEqual(thumbprintsOf(keys), [pinOf(ONE), pinOf(TWO)].toSorted())
})

test('F-16 a set continues another only by a key that both have', () => {
  const thumbprints = fc.array(fc.constantFrom('a', 'b', 'c', 'd'))
  fc.assert(
    fc.property(thumbprints, thumbprints, (fetched, good) => {
      const isFree = fetched.length === 0 || good.length === 0
      assert.equal(continuesKeys(fetched, good), isFree || good.filter((one) => fetched.includes(one)).length > 0)
    }),
  )
})

test('F-15 keys with an end keep their key objects', () => {
  const until = keysUntil(keys, 5)
  for (const [kid, key] of keys) {
    assert.deepEqual([until.get(kid)?.staleAtMs, until.get(kid)?.keyObject], [5, key.keyObject])
  }
})
