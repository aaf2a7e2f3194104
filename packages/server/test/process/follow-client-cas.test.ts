import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestAuthority } from '@countersign/testkit'
import { pickNamedCas } from '../../src/process/follow-client-cas.ts'

test('W-93 a handshake names CAs up to 16 KiB, and none with a name of more than 1 KiB', () => {
  const named = (length: number) => makeTestAuthority({ commonName: 'x'.repeat(length) })
  const [long, short] = [named(1_100), named(900)]
  assert.deepEqual(pickNamedCas([long.pem, short.pem + long.pem]), [short.pem])
  assert.equal(pickNamedCas(Array.from({ length: 40 }, () => short.pem)).length, 17)
  assert.equal(pickNamedCas([...Array.from({ length: 17 }, () => short.pem), named(10).pem]).length, 18)
})
