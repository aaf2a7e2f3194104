import {
  AppError,
  type ChallengeError as ChallengeKind,
  type LoginRequirements,
  type StepUpReason,
} from '@countersign/core'
import type { MissingFactor } from '../../login/second-factor.ts'
import {
  type ChallengingSigner,
  isPossessionReason,
  type PossessionReason,
  possessionChallenge,
} from '../../token/possession-challenge.ts'

const MISSING = 'error="missing" error_description="no matching token was provided"'
const INVALID = 'error="invalid" error_description="token is invalid"'
const EXPIRED = 'error="expired" error_description="token expired"'
const PARAMETERS: Readonly<Record<ChallengeKind, string>> = { missing: MISSING, invalid: INVALID, expired: EXPIRED }

/** A refusal with a `WWW-Authenticate` header that names the credential needed. */
export class ChallengeError extends AppError {
  readonly challenge: string

  constructor(challenge: string, publicCause?: { message: string }) {
    super('UNAUTHORIZED', publicCause)
    this.challenge = printable(challenge)
  }
}

/** Existing clients split challenges at commas and parameters at spaces. */
export function noCredential(): ChallengeError {
  return new ChallengeError(`zt-session realm="zt-session" ${MISSING},Bearer realm="openziti-oidc" ${MISSING}`, {
    message: 'unauthenticated for invalid credentials',
  })
}

/** The refusal of a bearer token that is not an access token of ours: it must first be exchanged for a session. */
export function noSession(): ChallengeError {
  return new ChallengeError(`zt-session realm="zt-session" ${MISSING},Bearer realm="openziti-oidc" ${MISSING}`)
}

export function invalidSession(): ChallengeError {
  return new ChallengeError(`zt-session realm="zt-session" ${INVALID}`)
}

/** The refusal of an access token of the OpenID provider. */
export function refusedBearer(kind: Exclude<ChallengeKind, 'missing'>): ChallengeError {
  return new ChallengeError(`Bearer realm="openziti-oidc" ${PARAMETERS[kind]}`)
}

/** The refusal of a SCIM request. */
export function unknownScimToken(): ChallengeError {
  return new ChallengeError('Bearer realm="scim", error="invalid_token"', { message: 'the token is not valid' })
}

/** The refusal of a session that is bound to a key, without a proof of that key. */
export function refusedProof(reason: PossessionReason): ChallengeError {
  return new ChallengeError(possessionChallenge(reason, 'zt-session'))
}

/** The refusal of a token whose holder has not proven to be the one that it was issued to. */
export function refusedPossession(
  reason: PossessionReason,
  signer?: { readonly stored: ChallengingSigner },
): ChallengeError {
  return new ChallengeError(possessionChallenge(reason, 'openziti-primary-ext-jwt', signer?.stored))
}

/** The refusal of a login by JWT. Pass only a signer that the token itself names: issuers are not public. */
export function primaryChallenge(kind: ChallengeKind, signer?: { id: string; issuer: string }): ChallengeError {
  const signerParameters = signer ? ` id="${signer.id}" issuer="${signer.issuer}"` : ''
  return new ChallengeError(`Bearer realm="openziti-primary-ext-jwt" ${PARAMETERS[kind]}${signerParameters}`)
}

const STEP_UP_TEXTS: Readonly<Record<StepUpReason, string>> = {
  'acr-insufficient': 'a stronger login at the identity provider is required',
  'amr-insufficient': 'a login by other methods at the identity provider is required',
  'authentication-too-old': 'a more recent login at the identity provider is required',
}

/** The refusal of a login at the identity provider that is too weak or too old (RFC 9470). Its parameters are separated by commas, as there. */
export class StepUpError extends ChallengeError {
  /** What to add to the authorization request of the next login there. */
  readonly parameters: Readonly<Record<string, string>>

  constructor(reason: StepUpReason, requirements: RequestableRequirements) {
    const parameters = stepUpParameters(requirements)
    const values = {
      error: 'insufficient_user_authentication',
      error_description: STEP_UP_TEXTS[reason],
      ...parameters,
    }
    const listed = Object.entries(values).map(([name, value]) => `${name}="${value}"`)
    super(`Bearer ${listed.join(', ')}`)
    this.parameters = parameters
  }
}

/** What an authorization request can ask for. */
type RequestableRequirements = Pick<LoginRequirements, 'requireAcr' | 'maxAuthAgeSeconds'>

function stepUpParameters({ requireAcr, maxAuthAgeSeconds }: RequestableRequirements): Record<string, string> {
  return {
    ...(requireAcr.length > 0 && { acr_values: requireAcr.join(' ') }),
    ...(maxAuthAgeSeconds !== null && { max_age: String(maxAuthAgeSeconds) }),
  }
}

/** The refusal of a session whose second factor is missing. */
export function missingFactors(missing: readonly MissingFactor[]): AppError {
  const stepUp = missing.find((factor) => factor.kind === 'step-up')
  if (stepUp) return new StepUpError(stepUp.reason, stepUp.requirements)
  const challenge = secondaryChallenge(missing)
  return challenge === undefined ? new AppError('UNAUTHORIZED') : new ChallengeError(challenge)
}

/** The challenge for a second token. Undefined when none is missing, or when its signer no longer exists. */
export function secondaryChallenge(missing: readonly MissingFactor[]): string | undefined {
  const factor = missing.find(({ kind }) => kind === 'ext-jwt')
  if (factor?.kind !== 'ext-jwt' || !factor.signer) return undefined
  const { id, issuer } = factor.signer
  const { reason = '' } = factor
  if (isPossessionReason(reason))
    return printable(possessionChallenge(reason, 'openziti-secondary-ext-jwt', factor.signer))
  return printable(
    `Bearer realm="openziti-secondary-ext-jwt" ${PARAMETERS[factor.challenge]} id="${id}" issuer="${issuer}"`,
  )
}

/** Replaces characters that a header cannot hold, so that an unusual issuer does not make the refusal fail. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}
