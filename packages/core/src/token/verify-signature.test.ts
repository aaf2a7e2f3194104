import assert from 'node:assert/strict'
import { createSecretKey, sign } from 'node:crypto'
import { test } from 'node:test'
import { getTestKeyPair } from '@countersign/testkit'
import { ALGORITHMS } from '../key/algorithms.ts'
import { checkInPlace, checkOnPool, type SignatureToCheck } from './verify-signature.ts'

const { publicKey, privateKey } = getTestKeyPair('rsa2048')
const algorithm = ALGORITHMS.get('RS256')
assert.ok(algorithm)
const input = 'header.claims'
const CHECK: SignatureToCheck = {
  algorithm,
  key: publicKey,
  thumbprint: 'any',
  input,
  signature: sign('sha256', Buffer.from(input), privateKey),
}

test('a signature verifies for its input only', async () => {
  for (const check of [checkInPlace, checkOnPool]) {
    assert.equal(await check(CHECK), true)
    assert.equal(await check({ ...CHECK, input: 'header.claimz' }), false)
  }
})

test('a key that crypto.verify rejects makes a signature invalid, and does not throw', async () => {
  const key = createSecretKey(Buffer.alloc(32, 1))
  for (const check of [checkInPlace, checkOnPool]) {
    assert.equal(await check({ ...CHECK, key }), false)
    assert.equal(await check(CHECK), true)
  }
})
