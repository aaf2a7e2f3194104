import type { AuthPolicy } from '@countersign/sdk'

export type PolicyRules = Pick<AuthPolicy, 'primary' | 'secondary' | 'session' | 'certificate' | 'acceptRule'>

/** What a policy allows and requires, one sentence each. `nameOf` returns the name of a signer. */
export function describePolicy(
  { primary, secondary, session, certificate, acceptRule }: PolicyRules,
  nameOf: (signerId: string) => string,
): string[] {
  const { cert, extJwt, updb, passkey } = primary
  const methods = [
    extJwt.allowed &&
      (extJwt.allowedSigners.length === 0 ? 'a token of any signer' : tokensOf(extJwt.allowedSigners, nameOf)),
    cert.allowed && `a client certificate${cert.allowExpiredCerts ? ', even an expired one' : ''}`,
    updb.allowed && 'a password',
    passkey.allowed && 'a passkey',
  ].filter((method) => method !== false)
  return [
    methods.length === 0 ? 'No login method is allowed.' : `Sign in with ${joinWords(methods, 'or')}.`,
    ...(extJwt.allowed ? describeLogins(extJwt) : []),
    ...(updb.allowed ? describePasswords(updb) : []),
    ...(secondary.requireTotp ? ['A one-time code is required.'] : []),
    ...(secondary.requirePasskey ? ['A passkey is required, unless one opened the session.'] : []),
    ...(secondary.requireExtJwtSigner
      ? [`Every request also needs a token of ${nameOf(secondary.requireExtJwtSigner)}.`]
      : []),
    ...(acceptRule === null ? [] : [`Each login and each request must meet the rule ${acceptRule}`]),
    ...describeSessions(session),
    ...describeCertificates(certificate),
  ]
}

/** What the login at the identity provider must have been. */
function describeLogins({ requireAcr, requireAmr, maxAuthAgeSeconds }: AuthPolicy['primary']['extJwt']): string[] {
  return [
    ...(requireAcr.length > 0 ? [`A token must have the acr ${joinWords(requireAcr, 'or')}.`] : []),
    ...(requireAmr.length > 0 ? [`A token must have the amr ${joinWords(requireAmr, 'and')}.`] : []),
    ...(maxAuthAgeSeconds === null
      ? []
      : [`The login at the identity provider may be at most ${maxAuthAgeSeconds} seconds ago.`]),
  ]
}

function describeSessions({ idleMinutes, maxMinutes, endWithToken }: AuthPolicy['session']): string[] {
  const ends = [
    idleMinutes !== null && `${idleMinutes} minutes without a request`,
    maxMinutes !== null && `${maxMinutes} minutes`,
  ].filter((end) => end !== false)
  return [
    ...(ends.length > 0 ? [`A session ends after ${joinWords(ends, 'or')}.`] : []),
    ...(endWithToken ? ['A session ends when its token expires.'] : []),
  ]
}

function describeCertificates({ maxDays, renewalNeedsToken, renewalGraceHours }: AuthPolicy['certificate']): string[] {
  const grace = renewalGraceHours === 0 ? '' : `, unless one was used in the last ${renewalGraceHours} hours`
  return [
    ...(maxDays === null ? [] : [`Certificates are valid for at most ${maxDays} days.`]),
    ...(renewalNeedsToken
      ? [`The renewal of a certificate needs a token of the signer that enrolled the identity${grace}.`]
      : []),
  ]
}

function tokensOf(signers: readonly string[], nameOf: (signerId: string) => string): string {
  return `a token of ${joinWords(signers.map(nameOf), 'or')}`
}

/** The password rules of a policy. */
export function describePasswords(updb: AuthPolicy['primary']['updb']): string[] {
  const rules = [
    updb.requireMixedCase && 'mixed case',
    updb.requireNumberChar && 'a digit',
    updb.requireSpecialChar && 'a special character',
  ].filter((rule) => rule !== false)
  const length = `Passwords have at least ${updb.minPasswordLength} characters`
  const lockout =
    updb.lockoutDurationMinutes === 0
      ? 'until an administrator enables it'
      : `for ${updb.lockoutDurationMinutes} minutes`
  return [
    rules.length === 0 ? `${length}.` : `${length}, with ${joinWords(rules, 'and')}.`,
    ...(updb.maxAttempts > 0 ? [`After ${updb.maxAttempts} wrong passwords the identity is locked ${lockout}.`] : []),
  ]
}

function joinWords(words: readonly string[], last: string): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}
