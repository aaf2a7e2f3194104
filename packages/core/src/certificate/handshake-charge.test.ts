import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handshakeCharge } from './handshake-charge.ts'

const KIB = 1024

test('M-28 a usual chain is charged its size, and a long one more than that', () => {
  for (const bytes of [0, 1, 2 * KIB, 20 * KIB]) assert.equal(handshakeCharge(bytes), bytes)
  assert.equal(handshakeCharge(40 * KIB), 80 * KIB)
  assert.equal(handshakeCharge(100 * KIB), 500 * KIB)
})
