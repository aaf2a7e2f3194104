import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  MAX_RECENT_LENGTH,
  MAX_RECENT_LOGINS,
  type RecentLogin,
  readRecentLogins,
  recentLine,
} from '../../src/store/recent-login.ts'

const LONGEST: RecentLogin = {
  id: 'a'.repeat(36),
  at: 9_999_999_999_999,
  method: 'api-account',
  signerId: 'b'.repeat(36),
  ipAddress: 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255',
}

test('the column has room for ten logins with the longest addresses, and a cut line is ignored', () => {
  const lines = Array.from({ length: MAX_RECENT_LOGINS + 3 }, (_, n) => recentLine({ ...LONGEST, at: LONGEST.at - n }))
  const stored = lines.join('').slice(0, MAX_RECENT_LENGTH)
  const read = readRecentLogins(stored)
  assert.equal(read.length, MAX_RECENT_LOGINS)
  assert.deepEqual(read[0], LONGEST)
  assert.deepEqual(readRecentLogins(stored.slice(0, stored.indexOf('\n') + 40)), [LONGEST])
  assert.deepEqual(readRecentLogins(''), [])
})
