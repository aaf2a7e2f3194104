import type { LoginMethodName, RevocableToken, RuleClaims, SessionClaims } from '@countersign/core'

/** What a session rests on besides its identity. */
export interface SessionBasis {
  readonly method: LoginMethodName
  readonly authenticatorId: string
  /** Set for a login by token. */
  readonly token?: TokenBasis | undefined
  /** Set for a login by certificate of a third-party CA. */
  readonly ca?: CaBasis | undefined
  /** The thumbprint of the key that the session is bound to: each call needs a proof of it. */
  readonly boundKey?: string | undefined
}

/** The third-party CA behind a session. */
export interface CaBasis {
  readonly id: string
  /** The session is valid while the CA has this revision. */
  readonly revision: number
  /** The external id by which the certificate named the identity; null when the certificate itself was recognised. */
  readonly externalId: string | null
}

/** The verified token that opened a session. */
export interface TokenBasis extends SessionClaims, RevocableToken {
  readonly signerId: string
  /** The revision of the signer that verified the token. It must still be the current one when the session is opened. */
  readonly signerRevision: number
  /** The session is valid while the signer has this session revision. */
  readonly sessionRevision: number
  /** The external id by which the token named the identity; null when it named the id. */
  readonly externalId: string | null
  /** The thumbprint of the key that signed the token. */
  readonly keyThumbprint?: string
  /** When the signer starts to refuse the token. */
  readonly expiresAt: number
  /** The claims that the rule of the identity's policy reads; null when it had none. */
  readonly ruleClaims: RuleClaims | null
}

export function basisColumns({ method, authenticatorId, token, ca, boundKey }: SessionBasis) {
  return {
    method,
    authenticator_id: authenticatorId,
    ca_id: ca?.id ?? null,
    ca_revision: ca?.revision ?? null,
    signer_id: token?.signerId ?? null,
    signer_revision: token?.sessionRevision ?? null,
    external_id: token?.externalId ?? ca?.externalId ?? null,
    subject: token?.subject ?? null,
    provider_session_id: token?.providerSessionId ?? null,
    token_issued_at: token?.issuedAt ?? null,
    key_thumbprint: token?.keyThumbprint ?? null,
    token_expires_at: token?.expiresAt ?? null,
    acr: token?.acr ?? null,
    amr: token?.amr ? JSON.stringify(token.amr) : null,
    authenticated_at: token?.authenticatedAt ?? null,
    bound_key: boundKey ?? null,
    rule_claims: token?.ruleClaims ? JSON.stringify(token.ruleClaims) : null,
  }
}
