import type { JsonObject, JsonValue } from '../json/json-value.ts'

/** The checks of the one verify function, in their order. */
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

/** What a client is told about a refused token: no usable one was there, it is no good, or it was good once. */
export type ChallengeError = 'missing' | 'invalid' | 'expired'

/** Every reason for refusing a token, with what the client is told. Closed: logs, metrics and "explain" use these words. */
export const REFUSALS = {
  'token-too-large': 'missing',
  'token-malformed': 'missing',
  'token-encrypted': 'missing',
  'token-nested': 'invalid',
  'header-not-understood': 'invalid',
  'type-not-accepted': 'invalid',
  'issuer-unknown': 'missing',
  'issuer-mismatch': 'missing',
  'audience-mismatch': 'invalid',
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
  /** What the token had, cut to a bounded length; null for nothing. */
  readonly received: string | null
  readonly pass: boolean
}

/** What a verified token proves. Only the verify function makes one. */
export interface VerifiedToken {
  readonly signerId: string
  readonly claims: JsonObject
  /** The value that names the identity. */
  readonly identityClaim: string
  readonly kid: string
  readonly alg: string
  readonly keyThumbprint: string
  /** From when on the signer refuses it, in milliseconds. */
  readonly expiresAtMs: number
}

/** The outcome: the checks up to the first that failed (or all that could be made, when asked to go on), and one reason. */
export type Verdict = AcceptedVerdict | RefusedVerdict

export interface AcceptedVerdict {
  readonly accepted: true
  readonly reason: 'accepted'
  /** Written when asked for: most callers never do. */
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

  /** Written when asked for: a flood of refusals is answered without. */
  get checks(): readonly Check[] {
    return this.#checks()
  }
}

const MAX_SHOWN = 256

/** How a value from a token stands in a verdict: as text, cut, null for nothing. */
export function shown(value: JsonValue | undefined): string | null {
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN).toWellFormed()}…` : text
}
