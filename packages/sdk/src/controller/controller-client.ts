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
  OwnAuthDecision,
  OwnLogin,
  Version,
  WhatIfReport,
} from '../wire-types.ts'
import { ApiSessions } from './api-sessions.ts'
import { Audit } from './audit.ts'
import { Authenticators, Enrollments } from './authenticators.ts'
import { Cas } from './cas.ts'
import { type ApiName, ControllerApi, type ControllerApiOptions } from './controller-api.ts'
import { EventSinks } from './event-sinks.ts'
import { Identities } from './identities.ts'
import { OwnOneTimeCodes } from './one-time-codes.ts'
import { OwnCertificates } from './own-certificates.ts'
import { NamedResource, ReadableResource } from './resource.ts'
import type { TokenSupplier } from './session-authorization.ts'
import { Signers } from './signers.ts'

export type ControllerClientOptions = ControllerApiOptions

export interface ControllerLoginOptions extends CallOptions {
  /** Which API the login goes to; the session works on both. Default: `management`. */
  readonly api?: ApiName | undefined
}

/** A proposed change. The body of an `update` is merged like that of a PATCH. */
export interface WhatIfChange {
  readonly op: 'create' | 'update' | 'delete'
  readonly kind: 'ext-jwt-signer' | 'auth-policy' | 'identity'
  readonly id?: string
  readonly body?: object
}

export interface WhatIfOptions extends CallOptions {
  /** How many recent logins are evaluated at most, from 1 to 10,000. Default: 1,000. */
  readonly limit?: number
}

/** A client of one controller's APIs. Every method throws CountersignError. */
export class ControllerClient {
  readonly signers: Signers
  readonly authPolicies: NamedResource<AuthPolicy, AuthPolicyInput, AuthPolicyChanges>
  readonly cas: Cas
  /** Receivers of events. For administrators. */
  readonly eventSinks: EventSinks
  /** The record of changes and decisions. */
  readonly audit: Audit
  readonly identities: Identities
  readonly authenticators: Authenticators
  readonly enrollments: Enrollments
  /** The sessions of all identities. */
  readonly apiSessions: ApiSessions
  /** Why logins were refused in the last 24 hours; the id is the `requestId` of the refusal. */
  readonly authDecisions: ReadableResource<AuthDecision>
  /** The sessions of the caller's identity. */
  readonly ownSessions: Pick<ApiSessions, 'list' | 'page' | 'delete'>
  /** Why logins of the caller's identity were refused in the last 24 hours. */
  readonly ownAuthDecisions: Pick<ReadableResource<OwnAuthDecision>, 'list' | 'page'>
  /** The last logins of the caller's identity that were accepted, also after their session. */
  readonly ownLogins: Pick<ReadableResource<OwnLogin>, 'list' | 'page'>
  /** The caller's own one-time codes. */
  readonly oneTimeCodes: OwnOneTimeCodes
  /** The caller's own certificate. */
  readonly ownCertificates: OwnCertificates
  /** Enrolling a first credential; needs no session. */
  readonly enrollment: Enrollment
  readonly #api: ControllerApi

  constructor(options: ControllerClientOptions) {
    const api = new ControllerApi(options)
    this.#api = api
    this.signers = new Signers(api, '/ext-jwt-signers')
    this.authPolicies = new NamedResource(api, '/auth-policies')
    this.cas = new Cas(api, '/cas')
    this.eventSinks = new EventSinks(api, '/event-sinks')
    this.audit = new Audit(api)
    this.identities = new Identities(api, '/identities')
    this.authenticators = new Authenticators(api, '/authenticators')
    this.enrollments = new Enrollments(api, '/enrollments')
    this.apiSessions = new ApiSessions(api, '/api-sessions')
    this.authDecisions = new ReadableResource(api, '/auth-decisions')
    this.ownSessions = new ApiSessions(api, '/current-identity/api-sessions')
    this.ownAuthDecisions = new ReadableResource<OwnAuthDecision>(api, '/current-identity/auth-decisions')
    this.ownLogins = new ReadableResource<OwnLogin>(api, '/current-identity/logins')
    this.oneTimeCodes = new OwnOneTimeCodes(api)
    this.ownCertificates = new OwnCertificates(api)
    this.enrollment = new Enrollment(api)
  }

  get baseUrl(): string {
    return this.#api.baseUrl
  }

  /** The session token that calls send. It is secret, and can be passed to another client. */
  get session(): string | undefined {
    return this.#api.authorization.session
  }

  /** The controller's version; needs no session. */
  version(options: CallOptions = {}): Promise<Version> {
    return this.#api.callAnonymously('client', { method: 'GET', path: '/version', ...options })
  }

  /** The signers that logins can use; needs no session. */
  listClientSigners(options: CallOptions = {}): Promise<ClientSigner[]> {
    return this.#api.callAnonymously('client', { method: 'GET', path: '/external-jwt-signers', ...options })
  }

  /** Logs in with a password. Later calls send the session; `authQueries` lists the second factors it still needs. */
  logInWithPassword(
    username: string,
    password: string,
    options: ControllerLoginOptions = {},
  ): Promise<CurrentApiSession> {
    return this.#logIn('password', options, { body: { username, password }, isIdempotent: false })
  }

  /** Logs in with a token of an External JWT Signer. */
  async logInWithJwt(token: string | TokenSupplier, options: ControllerLoginOptions = {}): Promise<CurrentApiSession> {
    const jwt = typeof token === 'string' ? token : await token()
    return this.#logIn('ext-jwt', options, { headers: { authorization: `Bearer ${jwt}` } })
  }

  /** Logs in with the client certificate that `fetch` presents: set `fetch` to one that has a certificate. */
  logInWithCertificate(options: ControllerLoginOptions = {}): Promise<CurrentApiSession> {
    return this.#logIn('cert', options, {})
  }

  /** Completes a session that needs a one-time code. Accepts a recovery code too. */
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

  /** The identity of the session. */
  currentIdentity(options: CallOptions = {}): Promise<Identity> {
    return this.#api.call('management', { method: 'GET', path: '/current-identity', ...options })
  }

  controllers(options: CallOptions = {}): Promise<Controller[]> {
    return this.#api.call('management', { method: 'GET', path: '/controllers', ...options })
  }

  /** The number of entities of each kind. */
  summary(options: CallOptions = {}): Promise<Readonly<Record<string, number>>> {
    return this.#api.call('management', { method: 'GET', path: '/summary', ...options })
  }

  /** Predicts what changes would do to logins and sessions. Changes nothing. */
  whatIf(changes: readonly WhatIfChange[], { limit, ...options }: WhatIfOptions = {}): Promise<WhatIfReport> {
    const body = { changes, ...(limit !== undefined && { limit }) }
    return this.#api.call('management', { method: 'POST', path: '/what-if', body, isIdempotent: true, ...options })
  }

  /** Events as they happen. Resumes a broken stream; ends when the signal aborts. */
  events(options: WatchOptions = {}): AsyncGenerator<WatchedEvent> {
    return watchEvents(this.#api, options)
  }

  /** Calls an endpoint that has no method here, by its full path. Returns the JSON of the response, undefined for an empty one. */
  request(call: ApiCall): Promise<unknown> {
    return this.#api.request(call)
  }

  async #logIn(
    method: 'password' | 'cert' | 'ext-jwt',
    { api = 'management', ...options }: ControllerLoginOptions,
    credential: { readonly body?: unknown; readonly headers?: Record<string, string>; readonly isIdempotent?: boolean },
  ): Promise<CurrentApiSession> {
    this.#api.authorization.session = undefined
    const call = {
      method: 'POST',
      path: '/authenticate',
      query: { method },
      isIdempotent: true,
      ...credential,
      ...options,
    }
    const session = await this.#api.call<CurrentApiSession>(api, call as typeof call & { method: 'POST' })
    this.#api.authorization.session = session.token
    return session
  }
}
