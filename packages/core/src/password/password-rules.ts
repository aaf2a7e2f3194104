import { fieldError } from '../app-error.ts'
import type { AuthPolicySettings } from '../auth-policy/auth-policy-settings.ts'

export type PasswordRules = Pick<
  AuthPolicySettings['primary']['updb'],
  'minPasswordLength' | 'requireSpecialChar' | 'requireNumberChar' | 'requireMixedCase'
>

interface PasswordRule {
  applies(rules: PasswordRules): boolean
  holds(password: string, rules: PasswordRules): boolean
  reason(rules: PasswordRules): string
}

const RULES: readonly PasswordRule[] = [
  {
    applies: () => true,
    holds: (password, { minPasswordLength }) => [...password].length >= minPasswordLength,
    reason: ({ minPasswordLength }) => `password must have at least ${minPasswordLength} characters`,
  },
  {
    applies: ({ requireSpecialChar }) => requireSpecialChar,
    holds: (password) => /[^\p{L}\p{N}]/u.test(password),
    reason: () => 'password must have a character that is neither letter nor digit',
  },
  {
    applies: ({ requireNumberChar }) => requireNumberChar,
    holds: (password) => /\p{Nd}/u.test(password),
    reason: () => 'password must have a digit',
  },
  {
    applies: ({ requireMixedCase }) => requireMixedCase,
    holds: (password) => /\p{Lu}/u.test(password) && /\p{Ll}/u.test(password),
    reason: () => 'password must have upper-case and lower-case letters',
  },
]

/** Throws when a new password violates a rule of the identity's policy. The error names the rule, never the password. */
export function checkPassword(password: string, rules: PasswordRules): void {
  for (const rule of RULES) {
    if (rule.applies(rules) && !rule.holds(password, rules)) throw fieldError('password', rule.reason(rules), '')
  }
}
