import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkNewPassword, checkUserName } from './password-rules.ts'

test('checkNewPassword applies the rules of the policy', () => {
  const rules = { minPasswordLength: 8, requireSpecialChar: true, requireNumberChar: true, requireMixedCase: true }
  assert.equal(checkNewPassword('Passwd-1', rules), null)
  for (const [password, expected] of [
    ['Pass-1', /At least 8/],
    ['Passwd01', /neither a letter nor a digit/],
    ['Passwd-x', /digit/],
    ['passwd-1', /capital and a small/],
    [`Aa-1${'x'.repeat(97)}`, /At most 100/],
  ] as const) {
    assert.match(checkNewPassword(password, rules) ?? '', expected)
  }
  assert.equal(checkNewPassword('short'), null)
  assert.match(checkNewPassword('shor') ?? '', /At least 5/)
})

test('a user name has from 4 to 100 characters', () => {
  assert.equal(checkUserName('anna'), null)
  assert.match(checkUserName('ann') ?? '', /4 to 100/)
  assert.match(checkUserName('a'.repeat(101)) ?? '', /4 to 100/)
})
