import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recentLogins } from './recent-logins.ts'

test('accepted and refused logins are in one list, newest first', () => {
  const accepted = [
    { id: 's1', at: '2026-11-15T10:00:00Z', remoteAddress: '10.0.0.1', method: 'ext-jwt', signerId: 'one' },
    { id: 's2', at: '2026-11-15T12:00:00Z', remoteAddress: '10.0.0.2', method: 'password', signerId: null },
  ]
  const refused = [
    { id: 'd1', at: '2026-11-15T11:00:00Z', method: 'updb', reason: 'wrong-password', remoteAddress: '10.0.0.3' },
  ]
  assert.deepEqual(
    recentLogins(accepted, refused).map(({ id, address, method, reason }) => [id, address, method, reason]),
    [
      ['s2', '10.0.0.2', 'password', undefined],
      ['d1', '10.0.0.3', 'updb', 'wrong-password'],
      ['s1', '10.0.0.1', 'ext-jwt', undefined],
    ],
  )
})
