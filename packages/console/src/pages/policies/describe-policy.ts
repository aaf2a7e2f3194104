import type { AuthPolicy } from '@countersign/sdk'

/** What of a policy says whom it lets in. */
export type PolicyRules = Pick<AuthPolicy, 'primary' | 'secondary'>

/** What a policy allows, in plain sentences. `nameOf` gives the name of a signer. */
export function describePolicy({ primary, secondary }: PolicyRules, nameOf: (signerId: string) => string): string[] {
  const { cert, extJwt, updb } = primary
  const ways = [
    extJwt.allowed &&
      (extJwt.allowedSigners.length === 0 ? 'a token of any signer' : tokensOf(extJwt.allowedSigners, nameOf)),
    cert.allowed && `a client certificate${cert.allowExpiredCerts ? ', even an expired one' : ''}`,
    updb.allowed && 'a password',
  ].filter((way) => way !== false)
  return [
    ways.length === 0 ? 'Nobody can sign in.' : `Sign in with ${joinWords(ways, 'or')}.`,
    ...(updb.allowed ? describePasswords(updb) : []),
    ...(secondary.requireTotp ? ['Then a one-time code is needed.'] : []),
    ...(secondary.requireExtJwtSigner
      ? [`Every call also needs a token of ${nameOf(secondary.requireExtJwtSigner)}.`]
      : []),
  ]
}

function tokensOf(signers: readonly string[], nameOf: (signerId: string) => string): string {
  return `a token of ${joinWords(signers.map(nameOf), 'or')}`
}

/** What a policy wants of passwords. */
export function describePasswords(updb: AuthPolicy['primary']['updb']): string[] {
  const needs = [
    updb.requireMixedCase && 'capitals and small letters',
    updb.requireNumberChar && 'a digit',
    updb.requireSpecialChar && 'a special character',
  ].filter((need) => need !== false)
  const length = `Passwords have at least ${updb.minPasswordLength} characters`
  const lockout =
    updb.lockoutDurationMinutes === 0
      ? 'until an administrator enables it'
      : `for ${updb.lockoutDurationMinutes} minutes`
  return [
    needs.length === 0 ? `${length}.` : `${length}, with ${joinWords(needs, 'and')}.`,
    ...(updb.maxAttempts > 0 ? [`After ${updb.maxAttempts} wrong ones the identity is locked ${lockout}.`] : []),
  ]
}

function joinWords(words: readonly string[], last: string): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
