import { hash } from 'node:crypto'
import type { JsonObject, JsonValue } from '../json/json-value.ts'
import { OIDC_CLIENTS, type OidcClientId } from './oidc-client.ts'

type Info = Readonly<Record<string, string>>

/** What the tokens of a session say about it. */
export interface OidcSubject {
  readonly sessionId: string
  /** The client of the login. */
  readonly clientId: OidcClientId
  readonly identity: {
    readonly id: string
    readonly name: string
    readonly isAdmin: boolean
    readonly externalId: string | null
  }
  readonly scopes: readonly string[]
  /** The methods of the login. */
  readonly amr: readonly string[]
  readonly authenticatedAt: number
  readonly authenticatorId: string
  readonly configTypes: readonly string[]
  readonly ipAddress: string
  readonly sdkInfo: Info | null
  readonly envInfo: Info | null
  /** SHA-1 of the certificates that the session is bound to; null for a session that is not bound. */
  readonly fingerprints: readonly string[] | null
  /** SHA-1 of the certificate that logged in. */
  readonly loginFingerprint: string | undefined
  /** The thumbprint of the key whose proofs the tokens need; null for a session that is not bound to one. */
  readonly boundKey: string | null
  readonly allowsExpiredCertificates: boolean
  readonly certificate: {
    readonly isExtendable: boolean
    readonly isExtendRequested: boolean
    readonly isKeyRollRequested: boolean
    readonly isChainImproper: boolean
  }
}

/** One token, and the client that receives it. */
export interface TokenIssue {
  readonly issuer: string
  readonly clientId: OidcClientId
  readonly now: number
  readonly expiresAt: number
}

/** The values of `z_t`: a token is accepted only for the use that it names. */
export const TOKEN_USES = { access: 'a', refresh: 'r', code: 't' } as const
export type SessionTokenUse = 'access' | 'refresh'

const seconds = (ms: number): number => Math.floor(ms / 1000)

/** The claims of an access or refresh token. */
export function sessionTokenClaims(
  use: SessionTokenUse,
  subject: OidcSubject,
  { jti, ...issue }: TokenIssue & { readonly jti: string },
): JsonObject {
  const { identity, certificate } = subject
  return {
    ...commonClaims(subject, issue),
    nbf: seconds(issue.now),
    jti,
    scopes: [...subject.scopes],
    z_t: TOKEN_USES[use],
    z_asid: subject.sessionId,
    z_aid: subject.clientId,
    z_authid: subject.authenticatorId,
    ...(identity.isAdmin && { z_ia: true }),
    ...(identity.externalId !== null && { z_eid: identity.externalId }),
    ...(subject.configTypes.length > 0 && { z_ct: [...subject.configTypes] }),
    z_cfs: subject.fingerprints && [...subject.fingerprints],
    ...(subject.loginFingerprint !== undefined && { z_acf: subject.loginFingerprint }),
    ...(subject.allowsExpiredCertificates && { z_cae: true }),
    z_ice: certificate.isExtendable,
    z_cer: certificate.isExtendRequested,
    z_ckrr: certificate.isKeyRollRequested,
    z_iccc: certificate.isChainImproper,
    z_sdk: subject.sdkInfo && { ...subject.sdkInfo },
    z_env: subject.envInfo && { ...subject.envInfo },
    z_ra: subject.ipAddress,
    ...(subject.boundKey !== null && { cnf: { jkt: subject.boundKey } }),
  }
}

interface IdTokenParts {
  readonly nonce?: string | undefined
  readonly accessToken: string
  readonly code?: string | undefined
}

/** The claims of an id token. `sid` names the session, so that an end-session request can be checked against it. */
export function idTokenClaims(subject: OidcSubject, issue: TokenIssue, parts: IdTokenParts): JsonObject {
  const { identity } = subject
  const { nonce, accessToken, code } = parts
  return {
    ...commonClaims(subject, issue),
    azp: issue.clientId,
    sid: subject.sessionId,
    at_hash: halfHash(accessToken),
    name: identity.name,
    ...(nonce !== undefined && { nonce }),
    ...(code !== undefined && { c_hash: halfHash(code) }),
    z_ia: identity.isAdmin,
    ...(identity.externalId !== null && { z_eid: identity.externalId }),
  }
}

function commonClaims(subject: OidcSubject, { issuer, clientId, now, expiresAt }: TokenIssue): JsonObject {
  return {
    iss: issuer,
    aud: [clientId],
    sub: subject.identity.id,
    iat: seconds(now),
    exp: seconds(expiresAt),
    auth_time: seconds(subject.authenticatedAt),
    amr: [...subject.amr],
    client_id: clientId,
  }
}

/** The left half of the SHA-256 digest (OpenID Connect Core section 3.1.3.6). */
function halfHash(text: string): string {
  return hash('sha256', text, 'buffer').subarray(0, 16).toString('base64url')
}

/** The claims of a verified access or refresh token that decide about its use. */
export interface SessionTokenClaims {
  readonly sessionId: string
  readonly jti: string
  readonly clientId: OidcClientId
  readonly scopes: readonly string[]
  readonly issuedAt: number
  readonly expiresAt: number
  /** Empty for a session that is not bound to a certificate. */
  readonly fingerprints: readonly string[]
  /** SHA-1 of the certificate that logged in. */
  readonly loginFingerprint: string | undefined
}

/** Reads the claims of a token that this controller has signed. Undefined when it is not an access or refresh token. */
export function readSessionTokenClaims(claims: JsonObject): SessionTokenClaims | undefined {
  const { z_asid: sessionId, jti, client_id: client, scopes, iat, exp, z_cfs: bound, z_acf: login } = claims
  const clientId = OIDC_CLIENTS.find((known) => known === client)
  if (typeof sessionId !== 'string' || typeof jti !== 'string' || clientId === undefined) return undefined
  if (typeof iat !== 'number' || typeof exp !== 'number') return undefined
  return {
    sessionId,
    jti,
    clientId,
    scopes: texts(scopes),
    issuedAt: iat * 1000,
    expiresAt: exp * 1000,
    fingerprints: texts(bound),
    loginFingerprint: typeof login === 'string' ? login : undefined,
  }
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}
