import { randomUUID } from 'node:crypto'
import { type AuthorizeRequest, createLruCache, newSecret, newSortableUuid } from '@countersign/core'
import {
  type Authenticated,
  buildSession,
  checkOpened,
  loginEvents,
  type SessionOptions,
} from '../operations/api-session/start-session.ts'
import { type AuthenticatedOidcLogin, authenticateOidcLogin } from '../operations/oidc/authenticate-login.ts'
import { issueOidcCode } from '../operations/oidc/issue-code.ts'
import { endOidcSession } from '../operations/oidc/open-session.ts'
import { startOidcLogin } from '../operations/oidc/start-login.ts'
import { pruneOidc } from '../operations/upkeep/prune-oidc.ts'
import type { Clock } from '../platform/clock.ts'
import type { Settings } from '../platform/settings/index.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import type { OidcLoginDetails, StoredOidcLogin } from '../store/oidc-login.ts'
import { oidcSessionKey } from '../store/oidc-session-key.ts'
import { findOidcLogin, findOidcLoginByCode } from '../store/reads/oidc-login-reads.ts'
import type { Store } from '../store/store.ts'
import type { NewOidcCode, NewOidcLogin } from '../store/writes/oidc-login-writes.ts'
import type { LoginWrites } from './login-writes.ts'

interface OidcLoginsParts {
  readonly store: Store
  readonly clock: Clock
  readonly settings: Pick<Settings, 'oidc'>
  readonly loginWrites: LoginWrites
}

/** An identity that has authenticated in a login. */
export interface LoginOutcome extends Pick<AuthenticatedOidcLogin, 'details'> {
  readonly session: LiveSession
}

export const LOGIN_SECONDS = 600
const CODE_MS = 60_000
/** Upkeep deletes surplus logins once a minute. A flood must not wait for it. */
const PRUNED_AFTER = 1_000
const MAX_RECENT = 1_000
const CHARACTERS_PER_ENTRY = 2_000

/** Logins that clients begin at the authorization endpoint. They are in the store: one that begins on a node may end on another. */
export class OidcLogins {
  readonly #parts: OidcLoginsParts
  /**
   * What clients have asked for in the logins that began here, which never changes, and the logins that were completed here, by their codes, with
   * the codes that clients have yet to ask for. Without them a login on PostgreSQL costs more than three times a direct one (bench `oidc`).
   */
  readonly #requests = createLruCache<string, NewOidcLogin>(MAX_RECENT)
  readonly #codes = createLruCache<string, string>(MAX_RECENT)
  readonly #completed = createLruCache<string, StoredOidcLogin>(MAX_RECENT, { weightOf })
  #begun = 0

  constructor(parts: OidcLoginsParts) {
    this.#parts = parts
  }

  /** Returns the id of the new login. */
  async begin(request: AuthorizeRequest, browserDigest: string | undefined): Promise<string> {
    const { store, clock } = this.#parts
    const { clientId, redirectUri, scopes, state, nonce, codeChallenge, configTypes } = request
    const id = randomUUID()
    const now = clock.now()
    const wanted = { clientId, redirectUri, scopes, state, nonce, codeChallenge, configTypes }
    const login = { id, ...wanted, browserDigest, expiresAt: now + LOGIN_SECONDS * 1000 }
    // Not the system: on PostgreSQL each of its operations has a transaction of its own, and this one shares no row with others.
    await store.run(startOidcLogin, login, { actorId: id, now })
    this.#requests.set(id, login)
    this.#begun += 1
    if (this.#begun % PRUNED_AFTER === 0) while (await store.run(pruneOidc, {}, { actorId: SYSTEM_ACTOR.id, now }));
    return id
  }

  /** What the client has asked for in a login that has not expired. */
  async findRequest(id: string): Promise<NewOidcLogin | undefined> {
    const known = this.#requests.get(id)
    if (!known) return this.find(id)
    return this.#parts.clock.now() < known.expiresAt ? known : undefined
  }

  /** A login that has not expired and whose code has not been redeemed. */
  async find(id: string): Promise<StoredOidcLogin | undefined> {
    const login = await findOidcLogin(this.#parts.store.db, id, this.#parts.clock.now())
    return login?.code?.isRedeemed ? undefined : login
  }

  /**
   * Opens the session of an identity that has authenticated. It has no tokens before the code is redeemed. Undefined when the login has expired
   * meanwhile.
   */
  async authenticate(
    login: NewOidcLogin,
    options: SessionOptions,
    authenticated: Authenticated,
    {
      isComplete,
      ...facts
    }: Pick<OidcLoginDetails, 'amr' | 'secondSigner' | 'csrPem'> & { readonly isComplete: boolean },
  ): Promise<LoginOutcome | undefined> {
    const { store, clock, settings, loginWrites } = this.#parts
    const now = clock.now()
    const id = newSortableUuid(now)
    const { row, session: built } = buildSession(options, authenticated, {
      id,
      tokenDigest: oidcSessionKey(id),
      now,
      expiresAt: login.expiresAt,
      endsAt: Math.min(now + settings.oidc.maxSessionSeconds * 1000, authenticated.certificateExpiresAt ?? Infinity),
    })
    const { identity, request, presentedFingerprint: loginFingerprint, body } = authenticated
    const given: OidcLoginDetails = {
      ...facts,
      authenticatedAt: now,
      sdkInfo: (body.sdkInfo as Record<string, string> | undefined) ?? null,
      envInfo: (body.envInfo as Record<string, string> | undefined) ?? null,
      loginFingerprint,
      fingerprints: loginFingerprint === undefined ? null : [loginFingerprint],
    }
    const code = isComplete ? this.#newCode(login) : undefined
    const args = { loginId: login.id, session: row, details: given, code }
    const session: LiveSession = { ...built, isOidc: true }
    const { created, recorded } = loginEvents(options.events, session, request)
    const meta = { actorId: identity.id, events: recorded }
    const passed = await loginWrites.run(authenticateOidcLogin, args, meta)
    if (!passed) return undefined
    if (typeof passed === 'string') {
      checkOpened(passed)
      return undefined
    }
    const { details, passedTotpId, replacedSessionId } = passed
    if (code) {
      const issued = { ...code, isRedeemed: false }
      this.#codes.set(login.id, code.value)
      this.#completed.set(code.value, { ...login, session: { id, details }, code: issued })
    }
    options.events.publish(created, { isRecorded: recorded !== undefined })
    if (replacedSessionId !== undefined) {
      await store.run(endOidcSession, { sessionId: replacedSessionId }, { actorId: SYSTEM_ACTOR.id, now })
    }
    return { details, session: { ...session, passedTotpId, isLoginRecorded: recorded !== undefined } }
  }

  /** The code of a login whose last step has issued it; undefined when it is too late. Whether the session is still good is decided when it is redeemed. */
  codeOf({ code }: Pick<StoredOidcLogin, 'code'>): string | undefined {
    return code && this.#parts.clock.now() < code.expiresAt ? code.value : undefined
  }

  /** The code that this process has issued for a login, once: when it is asked for again, it may have been redeemed. */
  takeCode(id: string): string | undefined {
    const login = this.#completed.get(this.#codes.get(id) ?? '')
    this.#codes.delete(id)
    this.#requests.delete(id)
    return login && this.codeOf(login)
  }

  /** The login that a code was issued for, redeemed or not. Whether that is still so is decided by the transaction that redeems the code. */
  async findByCode(code: string): Promise<StoredOidcLogin | undefined> {
    const login = this.#completed.get(code)
    this.#completed.delete(code)
    return login && this.codeOf(login) !== undefined ? login : findOidcLoginByCode(this.#parts.store.db, code)
  }

  /** Issues the code of a login that is complete. Undefined when another request has changed the login meanwhile. */
  async issueCode(login: StoredOidcLogin, session: LiveSession): Promise<string | undefined> {
    const code = this.#newCode(login)
    const args = { loginId: login.id, sessionId: session.id, code }
    const isIssued = await this.#parts.loginWrites.run(issueOidcCode, args, { actorId: session.identity.id })
    return isIssued ? code.value : undefined
  }

  #newCode({ expiresAt }: NewOidcLogin): NewOidcCode {
    return { value: newSecret(), expiresAt: Math.min(this.#parts.clock.now() + CODE_MS, expiresAt) }
  }
}

/** What clients say about themselves may be long. */
function weightOf({ session }: StoredOidcLogin): number {
  return 1 + Math.floor(JSON.stringify(session).length / CHARACTERS_PER_ENTRY)
}
