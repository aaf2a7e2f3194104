import { randomUUID } from 'node:crypto'
import {
  idTokenClaims,
  type OidcClientId,
  type OidcSubject,
  type SessionTokenUse,
  sessionTokenClaims,
} from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import { signJwt } from '../platform/keys/sign-jwt.ts'
import type { Settings } from '../platform/settings/index.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredOidcSession } from '../store/reads/oidc-session-reads.ts'
import type { SigningKeys } from './signing-keys.ts'

interface TokenIssuerParts {
  readonly keys: Pick<SigningKeys, 'signing'>
  readonly clock: Clock
  readonly settings: Pick<Settings, 'oidc'>
}

/** Who receives a token, and from which address of this controller. */
export interface Recipient {
  readonly issuer: string
  readonly clientId: OidcClientId
}

export interface IssuedToken {
  readonly token: string
  readonly expiresAt: number
}

const TOTP = 'totp'

/** Signs the tokens of sessions. No token outlives its session. */
export class TokenIssuer {
  readonly #parts: TokenIssuerParts

  constructor(parts: TokenIssuerParts) {
    this.#parts = parts
  }

  /** When a token that is issued now expires. */
  expiryOf(use: SessionTokenUse | 'id', endsAt: number): number {
    const { accessTokenSeconds, refreshTokenSeconds, idTokenSeconds } = this.#parts.settings.oidc
    const lifetimes = { access: accessTokenSeconds, refresh: refreshTokenSeconds, id: idTokenSeconds }
    return Math.min(this.#parts.clock.now() + lifetimes[use] * 1000, endsAt)
  }

  /** `jti` is that of the token of which the new one is a copy. */
  async issue(
    use: SessionTokenUse,
    subject: OidcSubject,
    { expiresAt, jti = randomUUID(), ...recipient }: Recipient & { readonly expiresAt: number; readonly jti?: string },
  ): Promise<IssuedToken> {
    const now = this.#parts.clock.now()
    const claims = sessionTokenClaims(use, subject, { ...recipient, now, expiresAt, jti })
    return { token: signJwt(await this.#parts.keys.signing(), claims), expiresAt }
  }

  async issueIdToken(
    subject: OidcSubject,
    recipient: Recipient & { readonly expiresAt: number },
    parts: Parameters<typeof idTokenClaims>[2],
  ): Promise<string> {
    const claims = idTokenClaims(subject, { ...recipient, now: this.#parts.clock.now() }, parts)
    return signJwt(await this.#parts.keys.signing(), claims)
  }

  /** A token that says that a one-time code was given in this session. */
  async issueCodeToken(issuer: string, session: LiveSession): Promise<{ token: string; issuedAt: number }> {
    const issuedAt = this.#parts.clock.now()
    const claims = {
      iss: issuer,
      aud: ['openziti'],
      sub: session.identity.id,
      iat: Math.floor(issuedAt / 1000),
      jti: randomUUID(),
      z_asid: session.id,
      z_t: 't',
    }
    return { token: signJwt(await this.#parts.keys.signing(), claims), issuedAt }
  }
}

/** What tokens say about a session. */
export function subjectOf(session: LiveSession, { clientId, scopes, details }: StoredOidcSession): OidcSubject {
  const { id, identity, policy, certificate, authenticatorId, configTypes, ipAddress, passedTotpId, boundKey } = session
  return {
    sessionId: id,
    clientId,
    identity,
    scopes,
    amr: passedTotpId === null ? details.amr : [...details.amr, TOTP],
    authenticatedAt: details.authenticatedAt,
    authenticatorId,
    configTypes,
    ipAddress,
    sdkInfo: details.sdkInfo,
    envInfo: details.envInfo,
    fingerprints: details.fingerprints,
    loginFingerprint: details.loginFingerprint,
    boundKey,
    allowsExpiredCertificates: policy.primary.cert.allowExpiredCerts,
    certificate: {
      isExtendable: certificate !== undefined,
      isExtendRequested: certificate?.isExtendRequested ?? false,
      isKeyRollRequested: certificate?.isKeyRollRequested ?? false,
      isChainImproper: certificate?.isChainImproper ?? false,
    },
  }
}
