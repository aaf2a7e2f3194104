import type { SessionTokenClaims } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { LiveSession, LiveSessions } from '../session/live-sessions.ts'
import { isSessionCertificate } from '../store/reads/oidc-session-reads.ts'
import type { Store } from '../store/store.ts'
import type { OidcTokens } from './oidc-tokens.ts'
import type { RevokedTokens } from './revoked-tokens.ts'

/** A session that an access token names. */
export interface BearerSession {
  readonly session: LiveSession
  readonly token: string
  readonly claims: SessionTokenClaims
  /** The other tokens of the request. */
  readonly bearers: readonly string[]
}

/** `none` when no token of the request is an access token of ours. */
export type BearerRefusal = 'none' | 'invalid' | 'expired'

export interface BearerRequest {
  readonly bearers: readonly string[]
  /** SHA-1 of the client certificate of the connection. Called only for sessions that are bound to one. */
  readonly fingerprint: () => string | undefined
  /** Throws unless the request proves possession of the key that a session is bound to. */
  readonly checkProof: (session: LiveSession, token: string) => Promise<void>
  /** Whether the lookup counts as a use of the session. */
  readonly isUse: boolean
}

interface BearerSessionsParts {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly sessions: Pick<LiveSessions, 'peekOidc' | 'noteUse'>
  readonly tokens: Pick<OidcTokens, 'read'>
  readonly revoked: Pick<RevokedTokens, 'has'>
}

/** Finds sessions by access tokens. The session is read at each use, like that of a session token. */
export class BearerSessions {
  readonly #parts: BearerSessionsParts

  constructor(parts: BearerSessionsParts) {
    this.#parts = parts
  }

  /** The session of the first good access token; tokens of identity providers before it do no harm. */
  async find(request: BearerRequest): Promise<BearerSession | BearerRefusal> {
    const { bearers } = request
    let refusal: BearerRefusal = 'none'
    for (const [at, token] of bearers.entries()) {
      const read = await this.#parts.tokens.read(token, 'access')
      if (read.ok) {
        const { claims } = read
        const session = await this.#findSession(claims, token, request)
        if (session) return { session, token, claims, bearers: bearers.length === 1 ? NONE : bearers.toSpliced(at, 1) }
        refusal = 'invalid'
      } else if (read.fault === 'expired' && refusal === 'none') refusal = 'expired'
    }
    return refusal
  }

  /**
   * Whether the connection shows a certificate that a bound token is valid with: the one that logged in, or one of the session that is not deleted. The
   * fingerprints in the token do not say the latter.
   */
  async isBindingMet(
    {
      fingerprints,
      loginFingerprint,
      sessionId,
    }: Pick<SessionTokenClaims, 'fingerprints' | 'loginFingerprint' | 'sessionId'>,
    fingerprint: string | undefined,
  ): Promise<boolean> {
    if (fingerprints.length === 0) return true
    if (fingerprint === undefined) return false
    const { store, clock } = this.#parts
    if (fingerprint === loginFingerprint) return true
    return isSessionCertificate(store.db, { fingerprint, sessionId, now: clock.now() })
  }

  async #findSession(
    claims: SessionTokenClaims,
    token: string,
    { fingerprint, checkProof, isUse }: BearerRequest,
  ): Promise<LiveSession | undefined> {
    const { sessions, revoked } = this.#parts
    if (await revoked.has(claims.jti)) return undefined
    if (claims.fingerprints.length > 0 && !(await this.isBindingMet(claims, fingerprint()))) return undefined
    const session = await sessions.peekOidc(claims.sessionId)
    if (!session) return undefined
    await checkProof(session, token)
    return isUse ? sessions.noteUse(session) : session
  }
}

const NONE: readonly string[] = []
