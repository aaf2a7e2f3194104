import { AppError, type ChallengeError as ChallengeKind } from '@countersign/core'
import type { MissingFactor } from '../../login/second-factor.ts'

const MISSING = 'error="missing" error_description="no matching token was provided"'
const INVALID = 'error="invalid" error_description="token is invalid"'
const EXPIRED = 'error="expired" error_description="token expired"'
const WORDS: Readonly<Record<ChallengeKind, string>> = { missing: MISSING, invalid: INVALID, expired: EXPIRED }

/** A refusal that tells the caller, in `WWW-Authenticate`, what it would take. */
export class ChallengeError extends AppError {
  readonly challenge: string

  constructor(challenge: string, publicCause?: { message: string }) {
    super('UNAUTHORIZED', publicCause)
    this.challenge = printable(challenge)
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

/** A session whose second factor is missing. */
export function missingFactors(missing: readonly MissingFactor[]): AppError {
  const challenge = secondaryChallenge(missing)
  return challenge === undefined ? new AppError('UNAUTHORIZED') : new ChallengeError(challenge)
}

/** The challenge for a second token; undefined when none is missing, or when the signer that could give one is gone. */
export function secondaryChallenge(missing: readonly MissingFactor[]): string | undefined {
  const factor = missing.find(({ kind }) => kind === 'ext-jwt')
  if (factor?.kind !== 'ext-jwt' || !factor.signer) return undefined
  const { id, issuer } = factor.signer
  return printable(`Bearer realm="openziti-secondary-ext-jwt" ${WORDS[factor.challenge]} id="${id}" issuer="${issuer}"`)
}

/** A header can hold nothing else; a refusal must never fail over somebody's odd issuer. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}
