import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { newSecret, secretDigest } from './secret.ts'

test('a secret has 256 bits in base64url, and no two are the same', () => {
  const secrets = Array.from({ length: 1000 }, newSecret)
  for (const secret of secrets) assert.match(secret, /^[A-Za-z0-9_-]{43}$/)
  assert.equal(new Set(secrets).size, 1000)
  // The bytes that a secret is made from are zeroed: no secret may consist of them.
  assert.ok(!secrets.includes('A'.repeat(43)))
})

test('the digest of a secret is its SHA-256 in base64url', () => {
  assert.equal(secretDigest('s'), createHash('sha256').update('s').digest('base64url'))
  assert.notEqual(secretDigest('s'), secretDigest('S'))
})
