import type { OidcClientId } from '@countersign/core'
import type { SignerRevision } from './actor-credential.ts'
import type { OidcLoginRow } from './oidc-schema.ts'

/** What a login by the OpenID provider is remembered by. */
export interface OidcLoginDetails {
  /** The methods that the identity has passed, except one-time codes, which the session records. */
  readonly amr: readonly string[]
  /** The signer of the token that was given as second factor. It counts only while the token would still be accepted. */
  readonly secondSigner?: SignerRevision | undefined
  readonly authenticatedAt: number
  readonly sdkInfo: Readonly<Record<string, string>> | null
  readonly envInfo: Readonly<Record<string, string>> | null
  /** SHA-1 of the certificate that logged in. */
  readonly loginFingerprint?: string | undefined
  /** SHA-1 of the certificates that the session is bound to; null when it is not bound. */
  readonly fingerprints: readonly string[] | null
  /** The request for a certificate that the session is then bound to. */
  readonly csrPem?: string | undefined
}

/** `amr` has the second token in words; what it proves is decided from `secondSigner`. */
export function withSecondToken(details: OidcLoginDetails, secondSigner: SignerRevision): OidcLoginDetails {
  return { ...details, amr: [...new Set([...details.amr, `ejs:${secondSigner.id}`])], secondSigner }
}

/** A login in progress. */
export interface StoredOidcLogin {
  readonly id: string
  readonly clientId: OidcClientId
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly state: string | undefined
  readonly nonce: string | undefined
  readonly codeChallenge: string
  readonly configTypes: readonly string[]
  readonly browserDigest: string | undefined
  readonly expiresAt: number
  /** Set once an identity has logged in. */
  readonly session: { readonly id: string; readonly details: OidcLoginDetails } | undefined
  /** Set once the login is complete. */
  readonly code: { readonly value: string; readonly expiresAt: number; readonly isRedeemed: boolean } | undefined
}

export function oidcLoginFromRow(row: OidcLoginRow): StoredOidcLogin {
  const { session_id: sessionId, details, code, code_expires_at: expiresAt } = row
  return {
    id: row.id,
    clientId: row.client_id as OidcClientId,
    redirectUri: row.redirect_uri,
    scopes: JSON.parse(row.scopes),
    state: row.state ?? undefined,
    nonce: row.nonce ?? undefined,
    codeChallenge: row.code_challenge,
    configTypes: JSON.parse(row.config_types),
    browserDigest: row.browser_digest ?? undefined,
    expiresAt: row.expires_at,
    session: sessionId === null || details === null ? undefined : { id: sessionId, details: JSON.parse(details) },
    code:
      code === null || expiresAt === null
        ? undefined
        : { value: code, expiresAt, isRedeemed: row.redeemed_at !== null },
  }
}
