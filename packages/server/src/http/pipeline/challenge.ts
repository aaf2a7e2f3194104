import { AppError, type ChallengeError as ChallengeKind } from '@countersign/core'

const MISSING = 'error="missing" error_description="no matching token was provided"'
const INVALID = 'error="invalid" error_description="token is invalid"'
const EXPIRED = 'error="expired" error_description="token expired"'
const WORDS: Readonly<Record<ChallengeKind, string>> = { missing: MISSING, invalid: INVALID, expired: EXPIRED }

/** A refusal that tells the caller, in `WWW-Authenticate`, what it would take. */
export class ChallengeError extends AppError {
  readonly challenge: string

  constructor(challenge: string, publicCause?: { message: string }) {
    super('UNAUTHORIZED', publicCause)
    // A header can hold nothing else; a refusal must never fail over somebody's odd issuer.
    this.challenge = challenge.replace(/[^\x20-\x7e]/g, '?')
  }
}

/** Parameters are separated by spaces and challenges by commas: that is how existing clients take them apart. */
export function noCredential(): ChallengeError {
  return new ChallengeError(`zt-session realm="zt-session" ${MISSING},Bearer realm="openziti-oidc" ${MISSING}`, {
    message: 'unauthenticated for invalid credentials',
  })
}

/** A bearer token alone is no session: it has to be traded for one. */
export function noSession(): ChallengeError {
  return new ChallengeError(`zt-session realm="zt-session" ${MISSING},Bearer realm="openziti-oidc" ${MISSING}`)
}

export function invalidSession(): ChallengeError {
  return new ChallengeError(`zt-session realm="zt-session" ${INVALID}`)
}

/** A sign-in by JWT that was refused. Only the signer that the token itself named is named back: issuers are no public field. */
export function primaryChallenge(kind: ChallengeKind, signer?: { id: string; issuer: string }): ChallengeError {
  const named = signer ? ` id="${signer.id}" issuer="${signer.issuer}"` : ''
  return new ChallengeError(`Bearer realm="openziti-primary-ext-jwt" ${WORDS[kind]}${named}`)
}
