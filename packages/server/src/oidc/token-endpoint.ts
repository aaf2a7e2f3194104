import {
  isRightVerifier,
  narrowScopes,
  OAuthError,
  OFFLINE_ACCESS,
  type OidcSubject,
  type SessionTokenClaims,
  type SessionTokenUse,
  type TokenRequest,
  tokenTypeOf,
} from '@countersign/core'
import type { Logger } from 'pino'
import { apiSessionEvent } from '../events/api-session-event.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { AttemptLimits } from '../limits/attempt-limits.ts'
import { openBoundOidcSession, openOidcSession } from '../operations/oidc/open-session.ts'
import { type RenewOidcSession, rebindOidcSession, renewOidcSession } from '../operations/oidc/renew-session.ts'
import type { Clock } from '../platform/clock.ts'
import type { ClientCertificates } from '../platform/keys/client-certificates.ts'
import type { LiveSession, LiveSessions } from '../session/live-sessions.ts'
import type { SignerRevision } from '../store/actor-credential.ts'
import type { StoredOidcLogin } from '../store/oidc-login.ts'
import { findOidcSession, type StoredOidcSession } from '../store/reads/oidc-session-reads.ts'
import type { Store } from '../store/store.ts'
import type { BearerSessions } from './bearer-sessions.ts'
import type { LoginWrites } from './login-writes.ts'
import type { OidcLogins } from './oidc-logins.ts'
import type { OidcTokens } from './oidc-tokens.ts'
import { issueBinding, type SessionBinding } from './session-binding.ts'
import { type Recipient, subjectOf, type TokenIssuer } from './token-issuer.ts'

interface TokenEndpointParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
  readonly events: Pick<EventHub, 'publish'>
  readonly sessions: Pick<LiveSessions, 'peekOidc' | 'readOidc'>
  readonly tokens: Pick<OidcTokens, 'read'>
  readonly issuer: TokenIssuer
  readonly bearerSessions: Pick<BearerSessions, 'isBindingMet'>
  readonly logins: Pick<OidcLogins, 'findByCode'>
  readonly loginWrites: LoginWrites
  readonly clientCertificates: Pick<ClientCertificates, 'issueForSession'>
  readonly limits: Pick<AttemptLimits, 'refresh' | 'sessionRefresh' | 'sessionCertificate'>
}

/** Where a request of the token endpoint comes from. */
export interface TokenCall {
  readonly issuer: string
  readonly address: string
  /** SHA-1 of the client certificate of the connection. */
  readonly fingerprint: () => string | undefined
  /**
   * The key that the request proves; null when it has no proof. Throws unless the proof is right, and for a session that is bound to a key unless the
   * proof is of this key.
   */
  readonly proveKey: (session: Pick<LiveSession, 'boundKey' | 'identity'>) => Promise<string | null>
  /** Whether the session lacks a second factor now, after a login in which a token of this signer was given. */
  readonly lacksFactor: (session: LiveSession, secondSigner?: SignerRevision) => Promise<boolean>
}

type GrantOf<Name extends TokenRequest['grant']> = Extract<TokenRequest, { grant: Name }>
type TokenResponse = Readonly<Record<string, string | number | undefined>>

/** A session with what its tokens say. */
interface Renewable {
  readonly session: LiveSession
  readonly stored: StoredOidcSession
  readonly claims: SessionTokenClaims
}

const invalidGrant = (description: string) => new OAuthError('invalid_grant', description)

/** Grants tokens for codes and for other tokens. Every grant reads the session: one that has ended gets no token. Fails with OAuthError. */
export class TokenEndpoint {
  readonly #parts: TokenEndpointParts

  constructor(parts: TokenEndpointParts) {
    this.#parts = parts
  }

  grant(request: TokenRequest, call: TokenCall): Promise<TokenResponse> {
    switch (request.grant) {
      case 'authorization_code':
        return this.#redeem(request, call)
      case 'refresh_token':
        return this.#refresh(request, call)
      case 'exchange':
        return this.#exchange(request, call)
    }
  }

  async #redeem(request: GrantOf<'authorization_code'>, call: TokenCall): Promise<TokenResponse> {
    const { loginWrites, sessions, issuer } = this.#parts
    const login = await this.#findLogin(request)
    const session = login.session && (await sessions.readOidc(login.session.id))
    if (!login.session || !session) throw invalidGrant('invalid code')
    const boundKey = await call.proveKey(session)
    const { clientId, scopes } = login
    const { details } = login.session
    const { csrPem } = details
    const binding = csrPem === undefined ? undefined : await issueBinding(this.#parts, csrPem, session, details)
    const isOffline = scopes.includes(OFFLINE_ACCESS)
    const { endsAt } = session
    const expiresAt = issuer.expiryOf(isOffline ? 'refresh' : 'access', endsAt)
    const bound = session.boundKey === null && boundKey !== null && { boundKey }
    const code = request.untrustedCode
    const opening = { loginId: login.id, code, sessionId: session.id, clientId, scopes, expiresAt, ...bound }
    const meta = { actorId: session.identity.id }
    const result = binding
      ? await loginWrites.run(openBoundOidcSession, { ...opening, ...storedPart(binding) }, meta)
      : await loginWrites.run(openOidcSession, opening, meta)
    if (result === 'reused') this.#reportReuse('code', session, call.address)
    if (typeof result === 'string') throw invalidGrant('invalid code')
    const subject = subjectOf({ ...session, boundKey }, { clientId, scopes, details: result.details })
    const recipient = { issuer: call.issuer, clientId }
    const { nonce } = login
    const hasIdToken = !(await call.lacksFactor(session, result.details.secondSigner))
    return this.#whole(subject, recipient, {
      endsAt,
      isOffline,
      nonce,
      code: request.untrustedCode,
      binding,
      hasIdToken,
    })
  }

  /** The login of a code that this client may redeem. A wrong verifier does not spend the code: its holder has stolen it. */
  async #findLogin({ clientId, untrustedCode, codeVerifier, redirectUri }: GrantOf<'authorization_code'>) {
    const { logins, clock } = this.#parts
    const login = await logins.findByCode(untrustedCode)
    if (!login?.code || (login.code.expiresAt <= clock.now() && !login.code.isRedeemed)) {
      throw invalidGrant('invalid code')
    }
    checkRedeemer(login, { clientId, codeVerifier, redirectUri })
    return login
  }

  async #refresh(request: GrantOf<'refresh_token'>, call: TokenCall): Promise<TokenResponse> {
    const { issuer } = this.#parts
    const claims = await this.#readRefreshToken(request)
    const renewable = await this.#findRenewable(claims, call, 'refresh token revoked')
    const { session, stored } = renewable
    const scopes = narrowScopes(claims.scopes, request.scope)
    const expiresAt = issuer.expiryOf('refresh', session.endsAt)
    const binding = await this.#renew(renewable, { csrPem: request.csrPem, grant: 'refresh', expiresAt }, call)
    this.#report('refreshed', session, call.address)
    const details = binding?.details ?? stored.details
    const subject = subjectOf(session, { ...stored, details, scopes })
    const recipient = { issuer: call.issuer, clientId: request.clientId }
    const { endsAt } = session
    const hasIdToken = !(await call.lacksFactor(session))
    const options = { endsAt, isOffline: true, refreshScopes: claims.scopes, binding, hasIdToken }
    return this.#whole(subject, recipient, options)
  }

  async #readRefreshToken({ untrustedToken, clientId }: GrantOf<'refresh_token'>): Promise<SessionTokenClaims> {
    const read = await this.#parts.tokens.read(untrustedToken, 'refresh')
    if (!read.ok) throw invalidGrant(REFRESH_FAULTS[read.fault])
    if (read.claims.clientId !== clientId) throw invalidGrant('client_id does not match original grant')
    return read.claims
  }

  async #exchange(request: GrantOf<'exchange'>, call: TokenCall): Promise<TokenResponse> {
    const { tokens, issuer } = this.#parts
    const { subject: kind, clientId, audience = clientId } = request
    const use: SessionTokenUse = kind === 'refresh_token' ? 'refresh' : 'access'
    const requested = request.requested ?? (use === 'refresh' ? 'refresh_token' : 'access_token')
    if (use === 'access' && requested === 'refresh_token') {
      throw new OAuthError('invalid_request', 'an access token cannot be exchanged for a refresh token')
    }
    const read = await tokens.read(request.untrustedToken, use)
    if (!read.ok) throw new OAuthError('invalid_request', 'subject_token is invalid')
    const { claims } = read
    if (claims.clientId !== clientId) throw invalidGrant('client_id does not match original grant')
    const renewable = await this.#findRenewable(claims, call, 'subject_token is revoked')
    const { session, stored } = renewable
    if (requested === 'id_token' && (await call.lacksFactor(session))) {
      throw invalidGrant('the session lacks a second factor')
    }
    const scopes = narrowScopes(claims.scopes, request.scope)
    const isOffline = requested === 'refresh_token'
    const refreshEnd = issuer.expiryOf('refresh', session.endsAt)
    // An access token that was stolen must not keep itself alive.
    const latestEnd = use === 'access' ? claims.expiresAt : refreshEnd
    const accessEnd = Math.min(issuer.expiryOf('access', session.endsAt), latestEnd)
    const expiresAt = isOffline ? refreshEnd : accessEnd
    const binding = await this.#renew(
      renewable,
      { csrPem: request.csrPem, grant: isOffline ? 'exchange' : undefined, expiresAt },
      call,
    )
    this.#report('exchanged', session, call.address)
    const subject = subjectOf(session, { ...stored, details: binding?.details ?? stored.details, scopes })
    const recipient = { issuer: call.issuer, clientId: audience }
    // A copy of an access token keeps its id: it is revoked with it.
    const copied = use === 'access' && { jti: claims.jti }
    const access = await issuer.issue('access', subject, { ...recipient, ...copied, expiresAt: accessEnd })
    const issuedType = { issued_token_type: tokenTypeOf(requested), ...(request.scope && { scope: scopes.join(' ') }) }
    if (requested === 'id_token') {
      const idRecipient = { ...recipient, expiresAt: Math.min(issuer.expiryOf('id', session.endsAt), latestEnd) }
      const idToken = await issuer.issueIdToken(subject, idRecipient, { accessToken: access.token })
      return { access_token: idToken, ...issuedType, token_type: 'N_A', session_cert: binding?.chainPem }
    }
    const refreshed = { ...subject, scopes: claims.scopes }
    const refresh = isOffline ? await issuer.issue('refresh', refreshed, { ...recipient, expiresAt }) : undefined
    return {
      access_token: access.token,
      ...issuedType,
      token_type: tokenSchemeOf(subject),
      expires_in: this.#secondsUntil(access.expiresAt),
      refresh_token: refresh?.token,
      session_cert: binding?.chainPem,
    }
  }

  /** The session of a verified token, if the request proves what the token is bound to, and neither it nor its identity has had too many. */
  async #findRenewable(claims: SessionTokenClaims, call: TokenCall, refusal: string): Promise<Renewable> {
    const { store, sessions, bearerSessions, limits } = this.#parts
    const session = await sessions.peekOidc(claims.sessionId)
    const stored = session && (await findOidcSession(store.db, claims.sessionId))
    if (!session || !stored) throw invalidGrant(refusal)
    if (claims.fingerprints.length > 0 && !(await bearerSessions.isBindingMet(claims, call.fingerprint()))) {
      throw new OAuthError('access_denied', 'peer certificate fingerprint does not match token')
    }
    if (session.boundKey !== null) await call.proveKey(session)
    limits.sessionRefresh.begin(session.id)
    limits.refresh.begin(session.identity.id)
    return { session, stored, claims }
  }

  /** Extends the session. A CSR is ignored unless the session is bound to a certificate. */
  async #renew(
    { session, stored, claims }: Renewable,
    renewal: Pick<RenewOidcSession, 'grant' | 'expiresAt'> & { readonly csrPem: string | undefined },
    { address }: Pick<TokenCall, 'address'>,
  ): Promise<SessionBinding | undefined> {
    const { csrPem, grant, expiresAt } = renewal
    const isBound = stored.details.fingerprints !== null
    const binding = csrPem && isBound ? await issueBinding(this.#parts, csrPem, session, stored.details) : undefined
    const { jti, expiresAt: tokenExpiresAt } = claims
    const { store } = this.#parts
    const args = { sessionId: session.id, token: { jti, expiresAt: tokenExpiresAt }, grant, expiresAt }
    const result = binding
      ? await store.run(rebindOidcSession, { ...args, binding: storedPart(binding) }, this.#meta(session))
      : await store.run(renewOidcSession, args, this.#meta(session))
    if (result === 'reused') this.#reportReuse('refresh token', session, address)
    if (result !== 'renewed') throw invalidGrant('refresh token revoked')
    return binding
  }

  /** The response with all tokens of a session. */
  async #whole(
    subject: OidcSubject,
    recipient: Recipient,
    options: {
      readonly endsAt: number
      readonly isOffline: boolean
      /** Of the refresh token, when the access token has fewer. */
      readonly refreshScopes?: readonly string[]
      readonly nonce?: string | undefined
      readonly code?: string
      /** Other services take an id token for a complete login. */
      readonly hasIdToken: boolean
      readonly binding: SessionBinding | undefined
    },
  ): Promise<TokenResponse> {
    const { issuer } = this.#parts
    const { endsAt, isOffline, refreshScopes = subject.scopes, nonce, code, binding, hasIdToken } = options
    const to = (use: SessionTokenUse | 'id') => ({ ...recipient, expiresAt: issuer.expiryOf(use, endsAt) })
    const access = await issuer.issue('access', subject, to('access'))
    const refreshed = { ...subject, scopes: refreshScopes }
    const refresh = isOffline ? await issuer.issue('refresh', refreshed, to('refresh')) : undefined
    return {
      access_token: access.token,
      token_type: tokenSchemeOf(subject),
      refresh_token: refresh?.token,
      expires_in: this.#secondsUntil(access.expiresAt),
      id_token: hasIdToken
        ? await issuer.issueIdToken(subject, to('id'), { nonce, accessToken: access.token, code })
        : undefined,
      scope: subject.scopes.join(' '),
      session_cert: binding?.chainPem,
    }
  }

  #report(type: 'refreshed' | 'exchanged', { id, identity }: LiveSession, ipAddress: string): void {
    this.#parts.events.publish(apiSessionEvent(type, { id, identityId: identity.id, ipAddress, isOidc: true }))
  }

  /** One of its two users has probably stolen it. */
  #reportReuse(what: 'code' | 'refresh token', { id, identity }: LiveSession, address: string): void {
    const facts = { sessionId: id, identityId: identity.id, remoteAddress: address }
    this.#parts.log.warn(facts, `a ${what} was used again, and the session has ended`)
  }

  #meta({ identity }: LiveSession) {
    return { actorId: identity.id, now: this.#parts.clock.now() }
  }

  /** Rounded down, as the time in the token is. */
  #secondsUntil(expiresAt: number): number {
    return Math.floor((Math.floor(expiresAt / 1000) * 1000 - this.#parts.clock.now()) / 1000)
  }
}

/** RFC 9449 section 5: a token that is bound to a key is sent with proofs. */
const tokenSchemeOf = ({ boundKey }: Pick<OidcSubject, 'boundKey'>) => (boundKey === null ? 'Bearer' : 'DPoP')

const storedPart = ({ certificate, details }: SessionBinding) => ({ certificate, details })

const REFRESH_FAULTS = {
  foreign: 'failed to parse refresh token',
  'other-use': 'invalid token type, expected refresh',
  expired: 'refresh token expired',
} as const

function checkRedeemer(
  login: StoredOidcLogin,
  {
    clientId,
    codeVerifier,
    redirectUri,
  }: Pick<GrantOf<'authorization_code'>, 'clientId' | 'codeVerifier' | 'redirectUri'>,
): void {
  if (login.clientId !== clientId) throw invalidGrant('client_id does not match original grant')
  if (login.redirectUri !== redirectUri) throw invalidGrant('redirect_uri does not correspond')
  if (!isRightVerifier(login.codeChallenge, codeVerifier)) throw invalidGrant('invalid code_verifier')
}
