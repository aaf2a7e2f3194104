import type { JsonObject, JsonValue } from '../json/json-value.ts'
import type { CredentialUse } from '../possession/credential-use.ts'

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
  'possession',
  'certificate',
  'proof',
  'proofKey',
  'proofMethod',
  'proofUrl',
  'proofToken',
  'proofTime',
  'proofNonce',
  'proofSignature',
  'proofUse',
  'identityClaim',
  'acceptRule',
  'attributeRules',
  'oneUse',
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
  'keys-stale': 'invalid',
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
  'possession-missing': 'invalid',
  'certificate-not-sent': 'invalid',
  'certificate-not-bound': 'invalid',
  'token-not-bound': 'invalid',
  'proof-missing': 'invalid',
  'proof-malformed': 'invalid',
  'proof-key-mismatch': 'invalid',
  'proof-method-mismatch': 'invalid',
  'proof-url-mismatch': 'invalid',
  'proof-token-mismatch': 'invalid',
  'proof-time-mismatch': 'invalid',
  'proof-nonce-missing': 'invalid',
  'proof-signature-invalid': 'invalid',
  'proof-replayed': 'invalid',
  'token-used': 'invalid',
  'identity-claim-unusable': 'invalid',
  'rule-refused': 'invalid',
  'rule-error': 'invalid',
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
  /** The thumbprint of the key by which the request has proven possession of the token (RFC 9449). */
  readonly boundKey?: string
  /** The proof of the request, which is to be accepted once. */
  readonly proofUse?: CredentialUse
  /** Set for a signer whose tokens are accepted once. */
  readonly tokenUse?: CredentialUse
  /** When the signer starts to refuse it, in milliseconds since 1970. Includes the clock skew. */
  readonly expiresAtMs: number
  /** What the attribute rules of the signer give. */
  readonly ruleAttributes: readonly string[]
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
  /** The claims, when the signature is valid; undefined otherwise. */
  readonly verifiedClaims: JsonObject | undefined
  readonly #describe: () => readonly Check[]
  #checks: readonly Check[] | undefined

  constructor(reason: RefusalReason, describe: () => readonly Check[], verifiedClaims?: JsonObject) {
    this.reason = reason
    this.challenge = REFUSALS[reason]
    this.verifiedClaims = verifiedClaims
    this.#describe = describe
  }

  /** Built on the first access, so that a flood of refusals does not pay for texts. Once: a description evaluates rules again. */
  get checks(): readonly Check[] {
    this.#checks ??= this.#describe()
    return this.#checks
  }
}

const MAX_DISPLAY_LENGTH = 256

/** A token's value as text for a verdict, truncated to 256 characters. Null when the value is absent. */
export function displayValue(value: JsonValue | undefined): string | null {
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_DISPLAY_LENGTH ? `${text.slice(0, MAX_DISPLAY_LENGTH).toWellFormed()}…` : text
}
