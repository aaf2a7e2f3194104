import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@countersign/contract/limits'
import type { AuthPolicy } from '@countersign/sdk'

type PasswordRules = Pick<
  AuthPolicy['primary']['updb'],
  'minPasswordLength' | 'requireSpecialChar' | 'requireNumberChar' | 'requireMixedCase'
>

/** Validates like the server, by the policy's rules. Returns an error text, or null. */
export function checkNewPassword(password: string, rules: Partial<PasswordRules> = {}): string | null {
  const { minPasswordLength = MIN_PASSWORD_LENGTH, requireSpecialChar, requireNumberChar, requireMixedCase } = rules
  if ([...password].length < minPasswordLength) return `At least ${minPasswordLength} characters`
  if (password.length > MAX_PASSWORD_LENGTH) return `At most ${MAX_PASSWORD_LENGTH} characters`
  if (requireSpecialChar && !/[^\p{L}\p{N}]/u.test(password))
    return 'The password needs a character that is neither a letter nor a digit'
  if (requireNumberChar && !/\p{Nd}/u.test(password)) return 'The password needs a digit'
  if (requireMixedCase && !(/\p{Lu}/u.test(password) && /\p{Ll}/u.test(password))) {
    return 'The password needs a capital and a small letter'
  }
  return null
}

export function checkUserName(username: string): string | null {
  return username.length < 4 || username.length > MAX_PASSWORD_LENGTH
    ? `The user name must have 4 to ${MAX_PASSWORD_LENGTH} characters`
    : null
}
