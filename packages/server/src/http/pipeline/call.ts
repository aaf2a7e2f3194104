import type { NearMiss, SessionTokenClaims } from '@countersign/core'
import type { FastifyRequest } from 'fastify'
import type { HostedCaller } from '../../hosted/hosted-caller.ts'
import type { ScimCaller } from '../../login/channels/scim-callers.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { SignerRevision } from '../../store/actor-credential.ts'
import type { RequestSource } from '../../store/operation-meta.ts'
import type { PresentedCertificate } from '../../token/presented-certificate.ts'
import type { TokenContext } from '../../token/request-proofs.ts'
import { CLIENT } from '../api-paths.ts'
import { bearerTokens, headerLines } from './bearer-tokens.ts'
import { clientFingerprint, readClientCertificate } from './client-certificate.ts'
import { NO_PARAMETERS, type Query } from './query.ts'
import type { ProofsOfRequest } from './request-proofs.ts'
import { remoteAddrOf, requestSource } from './request-source.ts'
import type { CallHead } from './session-cookie.ts'

/** The authenticated party of a request, and on the hosted API the organization that it acts for. */
export interface Caller {
  readonly session: LiveSession | undefined
  readonly token?: string
  readonly isCookie?: boolean
  /** The claims of the access token that names `session`. */
  readonly accessToken?: SessionTokenClaims
  /** The tokens that count as sent in `Authorization` lines. */
  readonly bearers?: readonly string[]
  /** The signer that verified the second token that the session's policy requires. */
  readonly secondSigner?: SignerRevision
  readonly hosted?: HostedCaller
  readonly scim?: ScimCaller
}

interface ParsedRequest {
  readonly request: FastifyRequest
  readonly caller: Caller | undefined
  readonly query: Query | undefined
  readonly body: unknown
  readonly nearMisses: readonly NearMiss[]
  readonly bytes: Buffer | undefined
  readonly proofs: ProofsOfRequest
}

/**
 * A request that has passed the pipeline, as handlers see it. A class, because getters in an object literal would give every request its own
 * hidden class and slow down every handler.
 */
export class Call {
  /** Sent as `requestId` in errors. */
  readonly requestId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  /** Parsed by the route's schema. */
  readonly body: unknown
  /** The ignored members of the body that the caller probably meant otherwise. */
  readonly nearMisses: readonly NearMiss[]
  /** The body as it was sent, for routes that parse it themselves. */
  readonly untrustedBytes: Buffer | undefined
  /** Whether the request had a body that was not empty. */
  readonly hasBody: boolean
  /** Present unless the route is anonymous. */
  readonly session: LiveSession | undefined
  /** The signer of the second token; null when the policy requires none, and on routes for sessions without their second factor. */
  readonly secondSigner: SignerRevision | null
  /** Present on routes of the hosted API. */
  readonly hosted: HostedCaller | undefined
  /** Present on SCIM routes. */
  readonly scim: ScimCaller | undefined
  /** The token of `session`; undefined when it is from a cookie, which scripts must not read. */
  readonly sessionToken: string | undefined
  /** Set when an access token of the OpenID provider names the session. */
  readonly accessToken: SessionTokenClaims | undefined
  /** The tokens of the `Authorization` lines, in order, unverified; without the access token of the session. */
  readonly untrustedBearers: readonly string[]
  readonly clientAddress: string
  /** The header `If-Match`: versions of the entity, one of which must be the current one. */
  readonly ifMatch: string | undefined
  /** Rejects when the caller no longer has all the rights that the call began with. For responses that are made while they are sent. */
  readonly recheckCaller: () => Promise<void>
  readonly #request: FastifyRequest
  readonly #parsed: Pick<ParsedRequest, 'proofs'>

  constructor(parsed: ParsedRequest, recheckCaller: () => Promise<void>) {
    const { request, caller, query = NO_PARAMETERS, body, nearMisses, bytes } = parsed
    this.#parsed = parsed
    this.recheckCaller = recheckCaller
    this.#request = request
    this.requestId = request.id
    this.params = request.params as Record<string, string>
    this.query = query
    this.body = body
    this.nearMisses = nearMisses
    this.untrustedBytes = bytes
    this.hasBody = bytes !== undefined && bytes.length > 0
    this.session = caller?.session
    this.secondSigner = caller?.secondSigner ?? null
    this.hosted = caller?.hosted
    this.scim = caller?.scim
    this.sessionToken = caller?.isCookie ? undefined : caller?.token
    this.accessToken = caller?.accessToken
    this.untrustedBearers = caller?.bearers ?? bearerTokens(request.raw.rawHeaders)
    this.clientAddress = request.ip
    this.ifMatch = request.headers['if-match']
  }

  /** What the verdict on a token of this request can depend on. */
  get tokenContext(): TokenContext {
    return { method: this.#request.method, address: this.clientAddress, proofs: this.proofs }
  }

  /** The head of the request, unverified. */
  get untrustedHead(): CallHead & { readonly url: string } {
    return this.#request
  }

  /** What the request proves about the keys of its client, for tokens and sessions that are bound to one. */
  get proofs(): ProofsOfRequest {
    return this.#parsed.proofs
  }

  /** The values of all lines of a header, in order, unverified. `name` is in lower case. */
  untrustedHeaderLines(name: string): readonly string[] {
    return headerLines(this.#request.raw.rawHeaders, name)
  }

  get untrustedUserAgent(): string | undefined {
    return this.#request.headers['user-agent']
  }

  /** The resume point of an interrupted event stream. */
  get untrustedLastEventId(): string | undefined {
    const { 'last-event-id': id } = this.#request.headers
    return typeof id === 'string' && id !== '' ? id : undefined
  }

  get source(): RequestSource {
    return { ...requestSource(this.#request), requestId: this.requestId }
  }

  /** The client's address, with its port if known. */
  get remoteAddr(): string {
    return remoteAddrOf(this.#request)
  }

  /** The client certificate of the connection, unverified. Expensive: call only when needed. */
  clientCertificate(): PresentedCertificate | undefined {
    return readClientCertificate(this.#request.raw.socket)
  }

  /** Whether the request was sent to the client API, not to the management API. */
  get isClientApi(): boolean {
    return this.#request.routeOptions.url?.startsWith(`${CLIENT}/`) ?? false
  }

  /** SHA-1 of the client certificate of the connection, whose key the client holds. */
  clientFingerprint(): string | undefined {
    return clientFingerprint(this.#request.raw.socket)
  }

  /** The port on which the connection was accepted. */
  get localPort(): number | undefined {
    return this.#request.socket.localPort
  }

  /** The name of the collection in the path `/edge/management/v1/NAME/…`. Links in the response use the same name. */
  get collection(): string {
    return this.#request.routeOptions.url?.split('/')[4] ?? ''
  }
}
