import type { PossessionKind } from '@countersign/contract'
import { ALGORITHM_NAMES, OAuthError, type RefusalReason } from '@countersign/core'

interface ChallengeParts {
  readonly scheme: 'DPoP' | 'Bearer'
  readonly error: 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce'
  readonly description: string
}

const proof = (description: string): ChallengeParts => ({ scheme: 'DPoP', error: 'invalid_dpop_proof', description })
const key = (description: string): ChallengeParts => ({ scheme: 'DPoP', error: 'invalid_token', description })
const certificate = (description: string): ChallengeParts => ({ scheme: 'Bearer', error: 'invalid_token', description })

/** Why the holder of a valid token has not proven to be the one that it was issued to, with what the client is sent: it can act on it. */
const CHALLENGES = {
  'possession-not-proven': certificate('the token is bound to a key in a way that is not supported'),
  'possession-missing': key('the signer requires a token that is bound to a key'),
  'certificate-not-sent': certificate('the token is bound to a client certificate, and the connection has none'),
  'certificate-not-bound': certificate('the token is bound to another client certificate'),
  'token-not-bound': key('the token is not bound to the key of a DPoP proof'),
  'proof-missing': proof('the token is bound to a key: send it with the scheme DPoP and a proof in the header DPoP'),
  'proof-malformed': proof('the header DPoP is not one well-formed proof'),
  'proof-key-mismatch': key('the token is bound to another key than that of the proof'),
  'proof-method-mismatch': proof('htm is not the method of the request'),
  'proof-url-mismatch': proof('htu is not the URL of the request'),
  'proof-token-mismatch': proof('ath is not the SHA-256 of the token'),
  'proof-time-mismatch': proof('iat is not the current time'),
  'proof-nonce-missing': {
    scheme: 'DPoP',
    error: 'use_dpop_nonce',
    description: 'the proof needs the nonce of the header DPoP-Nonce',
  },
  'proof-signature-invalid': proof('the signature is not valid'),
  'proof-replayed': proof('the proof was used before'),
  'token-used': certificate('the token was used before'),
} as const satisfies Partial<Record<RefusalReason, ChallengeParts>>

/** For a signer with `requirePossession: mtls`: no proof would help. */
const CERTIFICATE_MISSING = certificate('the signer requires a token that is bound to a client certificate')

export type PossessionReason = keyof typeof CHALLENGES

export function isPossessionReason(reason: string): reason is PossessionReason {
  return Object.hasOwn(CHALLENGES, reason)
}

/** The signer of a token, as a challenge names it. */
export interface ChallengingSigner {
  readonly id: string
  readonly issuer: string
  readonly requirePossession: PossessionKind
}

/** The value of `WWW-Authenticate` (RFC 9449 section 7.1, RFC 8705 section 3). */
export function possessionChallenge(reason: PossessionReason, realm: string, signer?: ChallengingSigner): string {
  const needsCertificate = reason === 'possession-missing' && signer?.requirePossession === 'mtls'
  const { scheme, error, description } = needsCertificate ? CERTIFICATE_MISSING : CHALLENGES[reason]
  const more = signer && { id: signer.id, issuer: signer.issuer }
  const algs = scheme === 'DPoP' && { algs: ALGORITHM_NAMES.join(' ') }
  const parameters = { realm, error, error_description: description, ...algs, ...more }
  const listed = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return `${scheme} ${listed.join(', ')}`
}

/** Whether an error only asks for the nonce: the token was right, and the client repeats the request. */
export function asksForNonce(error: unknown): boolean {
  if (error instanceof OAuthError) return error.error === 'use_dpop_nonce'
  const { challenge } = (error ?? {}) as { readonly challenge?: unknown }
  return typeof challenge === 'string' && challenge.includes('error="use_dpop_nonce"')
}
