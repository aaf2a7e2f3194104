import { AppError } from '@countersign/core'

const MISSING = 'error="missing" error_description="no matching token was provided"'
const INVALID = 'error="invalid" error_description="token is invalid"'

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
