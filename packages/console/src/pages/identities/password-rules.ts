import type { AuthPolicy } from '@countersign/sdk'

type PasswordRules = Pick<
  AuthPolicy['primary']['updb'],
  'minPasswordLength' | 'requireSpecialChar' | 'requireNumberChar' | 'requireMixedCase'
>

/** Holds for every policy. */
const SHORTEST = 5
const LONGEST = 100

/** What the server would refuse of a new password, given what is known of the policy of its identity. */
export function checkNewPassword(password: string, rules: Partial<PasswordRules> = {}): string | null {
  const { minPasswordLength = SHORTEST, requireSpecialChar, requireNumberChar, requireMixedCase } = rules
  if ([...password].length < minPasswordLength) return `At least ${minPasswordLength} characters`
  if (password.length > LONGEST) return `At most ${LONGEST} characters`
  if (requireSpecialChar && !/[^\p{L}\p{N}]/u.test(password))
    return 'It needs a character that is neither letter nor digit'
  if (requireNumberChar && !/\p{Nd}/u.test(password)) return 'It needs a digit'
  if (requireMixedCase && !(/\p{Lu}/u.test(password) && /\p{Ll}/u.test(password))) {
    return 'It needs capitals and small letters'
  }
  return null
}

/** User names have four characters at least. */
export function checkUserName(username: string): string | null {
  return username.length < 4 || username.length > LONGEST ? `The user name has from 4 to ${LONGEST} characters` : null
}
