import type { CheckSignature, VerifiedTokenCache } from '@countersign/core'
import type { Logger } from 'pino'
import type { EventHub } from '../events/event-hub.ts'
import type { AttemptLimits } from '../limits/attempt-limits.ts'
import type { Clock } from '../platform/clock.ts'
import type { ClientCertificates } from '../platform/keys/client-certificates.ts'
import type { ServerIdentity } from '../platform/keys/server-identity.ts'
import type { Settings } from '../platform/settings/index.ts'
import type { LiveSessions } from '../session/live-sessions.ts'
import type { Store } from '../store/store.ts'
import { BearerSessions } from './bearer-sessions.ts'
import { Issuers } from './issuers.ts'
import { LoginWrites } from './login-writes.ts'
import { OidcLogins } from './oidc-logins.ts'
import { OidcTokens } from './oidc-tokens.ts'
import { RevokedTokens } from './revoked-tokens.ts'
import type { SigningKeys } from './signing-keys.ts'
import { TokenEndpoint } from './token-endpoint.ts'
import { TokenIssuer } from './token-issuer.ts'

interface OidcParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly events: Pick<EventHub, 'publish'>
  readonly settings: Settings
  readonly signingKeys: SigningKeys
  readonly sessions: LiveSessions
  readonly addresses: () => readonly string[]
  readonly serverIdentity: () => ServerIdentity
  readonly clientCertificates: ClientCertificates
  readonly cache: VerifiedTokenCache
  readonly checkSignature: CheckSignature
  readonly limits: Pick<AttemptLimits, 'refresh' | 'sessionRefresh' | 'sessionCertificate'>
}

export type Oidc = ReturnType<typeof createOidc>

/** Wires the OpenID provider. */
export function createOidc(parts: OidcParts) {
  const { signingKeys } = parts
  const tokens = new OidcTokens({ ...parts, keys: signingKeys })
  const issuer = new TokenIssuer({ ...parts, keys: signingKeys })
  const loginWrites = new LoginWrites(parts)
  const revoked = new RevokedTokens(parts.store)
  const bearerSessions = new BearerSessions({ ...parts, tokens, revoked })
  const logins = new OidcLogins({ ...parts, loginWrites })
  return {
    issuers: new Issuers(parts),
    signingKeys,
    tokens,
    loginWrites,
    tokenIssuer: issuer,
    bearerSessions,
    logins,
    tokenEndpoint: new TokenEndpoint({ ...parts, tokens, issuer, bearerSessions, logins, loginWrites }),
  }
}
