import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import { checkPassword, type PasswordRules } from './password-rules.ts'

const NO_RULES: PasswordRules = {
  minPasswordLength: 5,
  requireSpecialChar: false,
  requireNumberChar: false,
  requireMixedCase: false,
}

const CASES: readonly { rule: string; rules: Partial<PasswordRules>; good: string; bad: string }[] = [
  { rule: 'the minimum length', rules: {}, good: 'abcde', bad: 'abcd' },
  { rule: 'a minimum length of its own', rules: { minPasswordLength: 12 }, good: 'abcdefghijkl', bad: 'abcdefghijk' },
  { rule: 'the length in characters, not in code units', rules: {}, good: '😀😀😀😀😀', bad: '😀😀😀😀' },
  { rule: 'a special character', rules: { requireSpecialChar: true }, good: 'abcde!', bad: 'abcdé5' },
  { rule: 'a digit', rules: { requireNumberChar: true }, good: 'abcde5', bad: 'abcde!' },
  { rule: 'an upper-case letter', rules: { requireMixedCase: true }, good: 'abcdE', bad: 'abcde' },
  { rule: 'a lower-case letter', rules: { requireMixedCase: true }, good: 'ABCDe', bad: 'ABCDE' },
]

for (const { rule, rules, good, bad } of CASES) {
  test(`a password must meet ${rule}`, () => {
    checkPassword(good, { ...NO_RULES, ...rules })
    assert.throws(
      () => checkPassword(bad, { ...NO_RULES, ...rules }),
      (error) => error instanceof AppError && error.code === 'COULD_NOT_VALIDATE' && !error.message.includes(bad),
    )
  })
}

test('rules that a policy does not set are not checked', () => {
  checkPassword('abcde', NO_RULES)
})
