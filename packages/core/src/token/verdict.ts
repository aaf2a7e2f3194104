import type { JsonObject, JsonValue } from '../json/json-value.ts'

/** The checks of `verifyToken`, in execution order. */
export const CHECKS = [
  'format',
  'issuer',
  'audience',
  'kid',
  'key',
  'signature',
  'expiry',
  'notBefore',
  'issuedAt',
  'requiredClaims',
  'identityClaim',
] as const

export type CheckName = (typeof CHECKS)[number]

/** What the `WWW-Authenticate` challenge reports: no usable token, an invalid one, or an expired one. */
export type ChallengeError = 'missing' | 'invalid' | 'expired'

/** Every reason for refusing a token, with the challenge for the client. A closed set: logs, metrics and "explain" use these values. */
export const REFUSALS = {
  'token-too-large': 'missing',
  'token-malformed': 'missing',
  'token-encrypted': 'missing',
  'token-nested': 'invalid',
  'header-not-understood': 'invalid',
  'type-not-accepted': 'invalid',
  'event-unusable': 'invalid',
  'issuer-unknown': 'missing',
  'issuer-mismatch': 'missing',
  'audience-mismatch': 'invalid',
  'too-many-signers': 'invalid',
  'kid-missing': 'invalid',
  'kid-unknown': 'invalid',
  'algorithm-not-allowed': 'invalid',
  'certificate-not-valid-now': 'invalid',
  'signature-invalid': 'invalid',
  'expiry-unusable': 'invalid',
  'token-expired': 'expired',
  'not-before-unusable': 'invalid',
  'token-not-yet-valid': 'invalid',
  'issued-at-unusable': 'invalid',
  'token-issued-in-future': 'invalid',
  'lifetime-too-long': 'invalid',
  'required-claim-unmet': 'invalid',
  'possession-not-proven': 'invalid',
  'identity-claim-unusable': 'invalid',
} as const satisfies Record<string, ChallengeError>

export type RefusalReason = keyof typeof REFUSALS

export interface Check {
  readonly check: CheckName
  readonly expected: string
  /** The token's value, truncated; null when the token has none. */
  readonly received: string | null
  readonly pass: boolean
}

/** What a verified token proves. Only `verifyToken` creates one. */
export interface VerifiedToken {
  readonly signerId: string
  readonly claims: JsonObject
  /** The value that names the identity. */
  readonly identityClaim: string
  readonly kid: string
  readonly alg: string
  readonly keyThumbprint: string
  /** When the signer starts to refuse it, in milliseconds since 1970. Includes the clock skew. */
  readonly expiresAtMs: number
}

/** The checks up to the first that failed (or all that can be made, with `continueAfterRefusal`), and one reason. */
export type Verdict = AcceptedVerdict | RefusedVerdict

export interface AcceptedVerdict {
  readonly accepted: true
  readonly reason: 'accepted'
  /** Built on access: most callers never read them. */
  readonly checks: readonly Check[]
  readonly token: VerifiedToken
}

export class RefusedVerdict {
  readonly accepted = false
  readonly reason: RefusalReason
  readonly challenge: ChallengeError
  readonly #checks: () => readonly Check[]

  constructor(reason: RefusalReason, checks: () => readonly Check[]) {
    this.reason = reason
    this.challenge = REFUSALS[reason]
    this.#checks = checks
  }

  /** Built on access, so that a flood of refusals does not pay for texts. */
  get checks(): readonly Check[] {
    return this.#checks()
  }
}

const MAX_DISPLAY_LENGTH = 256

/** A token's value as text for a verdict, truncated to 256 characters. Null when the value is absent. */
export function displayValue(value: JsonValue | undefined): string | null {
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_DISPLAY_LENGTH ? `${text.slice(0, MAX_DISPLAY_LENGTH).toWellFormed()}…` : text
}
