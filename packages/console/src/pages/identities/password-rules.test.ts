import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkNewPassword, checkUserName } from './password-rules.ts'

test('a new password is judged by the rules of its policy before it is sent', () => {
  const rules = { minPasswordLength: 8, requireSpecialChar: true, requireNumberChar: true, requireMixedCase: true }
  assert.equal(checkNewPassword('Passwd-1', rules), null)
  for (const [bad, why] of [
    ['Pass-1', /At least 8/],
    ['Passwd01', /neither letter nor digit/],
    ['Passwd-x', /digit/],
    ['passwd-1', /capitals/],
    [`Aa-1${'x'.repeat(97)}`, /At most 100/],
  ] as const) {
    assert.match(checkNewPassword(bad, rules) ?? '', why)
  }
  assert.equal(checkNewPassword('short'), null)
  assert.match(checkNewPassword('shor') ?? '', /At least 5/)
})

test('a user name has from 4 to 100 characters', () => {
  assert.equal(checkUserName('anna'), null)
  assert.match(checkUserName('ann') ?? '', /4 to 100/)
  assert.match(checkUserName('a'.repeat(101)) ?? '', /4 to 100/)
})
