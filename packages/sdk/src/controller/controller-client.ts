import { Enrollment } from '../enroll/enrollment.ts'
import { type WatchedEvent, type WatchOptions, watchEvents } from '../events/watch-events.ts'
import type { ApiCall } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type {
  AuthDecision,
  AuthPolicy,
  AuthPolicyChanges,
  AuthPolicyInput,
  ClientSigner,
  Controller,
  CurrentApiSession,
  Identity,
  Version,
} from '../wire-types.ts'
import { ApiSessions } from './api-sessions.ts'
import { Authenticators, Enrollments } from './authenticators.ts'
import { type ApiName, ControllerApi, type ControllerApiOptions } from './controller-api.ts'
import { Identities } from './identities.ts'
import { OwnOneTimeCodes } from './one-time-codes.ts'
import { NamedResource, ReadableResource } from './resource.ts'
import type { TokenSupplier } from './session-authorization.ts'
import { Signers } from './signers.ts'

export type ControllerClientOptions = ControllerApiOptions

export interface LogInOptions extends CallOptions {
  /** Which API the login goes to; the session is good for both. `management` unless given. */
  readonly api?: ApiName | undefined
}

/** A client of one controller's APIs. Every method throws CountersignError. */
export class ControllerClient {
  readonly signers: Signers
  readonly authPolicies: NamedResource<AuthPolicy, AuthPolicyInput, AuthPolicyChanges>
  readonly identities: Identities
  readonly authenticators: Authenticators
  readonly enrollments: Enrollments
  readonly apiSessions: ApiSessions
  /** Why sign-ins were refused in the last 24 hours; the id is the `requestId` of the refusal. */
  readonly authDecisions: ReadableResource<AuthDecision>
  /** The caller's own one-time codes. */
  readonly oneTimeCodes: OwnOneTimeCodes
  /** The ways to a first credential; they need no session. */
  readonly enrollment: Enrollment
  readonly #api: ControllerApi

  constructor(options: ControllerClientOptions) {
    const api = new ControllerApi(options)
    this.#api = api
    this.signers = new Signers(api, '/ext-jwt-signers')
    this.authPolicies = new NamedResource(api, '/auth-policies')
    this.identities = new Identities(api, '/identities')
    this.authenticators = new Authenticators(api, '/authenticators')
    this.enrollments = new Enrollments(api, '/enrollments')
    this.apiSessions = new ApiSessions(api, '/api-sessions')
    this.authDecisions = new ReadableResource(api, '/auth-decisions')
    this.oneTimeCodes = new OwnOneTimeCodes(api)
    this.enrollment = new Enrollment(api)
  }

  get baseUrl(): string {
    return this.#api.baseUrl
  }

  /** The session that calls are made with: a secret. It can be given to another client. */
  get session(): string | undefined {
    return this.#api.authorization.session
  }

  /** Which version speaks there; needs no session. */
  version(options: CallOptions = {}): Promise<Version> {
    return this.#api.callAnonymously('client', { method: 'GET', path: '/version', ...options })
  }

  /** The signers that one may log in with; needs no session. */
  listClientSigners(options: CallOptions = {}): Promise<ClientSigner[]> {
    return this.#api.callAnonymously('client', { method: 'GET', path: '/external-jwt-signers', ...options })
  }

  /** Trades a password for a session, which later calls are made with. `authQueries` lists what it still lacks. */
  logInWithPassword(username: string, password: string, options: LogInOptions = {}): Promise<CurrentApiSession> {
    return this.#logIn('password', options, { body: { username, password }, isRepeatable: false })
  }

  /** Trades a token of an External JWT Signer for a session. */
  async logInWithJwt(token: string | TokenSupplier, options: LogInOptions = {}): Promise<CurrentApiSession> {
    const jwt = typeof token === 'string' ? token : await token()
    return this.#logIn('ext-jwt', options, { headers: { authorization: `Bearer ${jwt}` } })
  }

  /** Trades the certificate that `fetch` shows for a session: give the client a `fetch` that has one. */
  logInWithCertificate(options: LogInOptions = {}): Promise<CurrentApiSession> {
    return this.#logIn('cert', options, {})
  }

  /** Completes a session that lacks a one-time code, with one or with a recovery code. */
  async completeWithCode(code: string, options: CallOptions = {}): Promise<void> {
    await this.#api.call('client', { method: 'POST', path: '/authenticate/mfa', body: { code }, ...options })
  }

  /** Ends the session. */
  async logOut(options: CallOptions = {}): Promise<void> {
    await this.#api.call('management', { method: 'DELETE', path: '/current-api-session', ...options })
    this.#api.authorization.session = undefined
  }

  currentSession(options: CallOptions = {}): Promise<CurrentApiSession> {
    return this.#api.call('management', { method: 'GET', path: '/current-api-session', ...options })
  }

  /** Whose session it is. */
  currentIdentity(options: CallOptions = {}): Promise<Identity> {
    return this.#api.call('management', { method: 'GET', path: '/current-identity', ...options })
  }

  controllers(options: CallOptions = {}): Promise<Controller[]> {
    return this.#api.call('management', { method: 'GET', path: '/controllers', ...options })
  }

  /** How much of everything there is. */
  summary(options: CallOptions = {}): Promise<Readonly<Record<string, number>>> {
    return this.#api.call('management', { method: 'GET', path: '/summary', ...options })
  }

  /** Events as they happen; a stream that breaks is resumed. Ends when the signal says so. */
  events(options: WatchOptions = {}): AsyncGenerator<WatchedEvent> {
    return watchEvents(this.#api, options)
  }

  /** A call that no method stands for, by its whole path. Gives the JSON of the answer, undefined for an empty one. */
  request(call: ApiCall): Promise<unknown> {
    return this.#api.request(call)
  }

  async #logIn(
    method: 'password' | 'cert' | 'ext-jwt',
    { api = 'management', ...options }: LogInOptions,
    shown: { readonly body?: unknown; readonly headers?: Record<string, string>; readonly isRepeatable?: boolean },
  ): Promise<CurrentApiSession> {
    this.#api.authorization.session = undefined
    const call = { method: 'POST', path: '/authenticate', query: { method }, isRepeatable: true, ...shown, ...options }
    const session = await this.#api.call<CurrentApiSession>(api, call as typeof call & { method: 'POST' })
    this.#api.authorization.session = session.token
    return session
  }
}
