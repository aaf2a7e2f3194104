import type { FastifyRequest } from 'fastify'
import type { HostedCaller } from '../../hosted/hosted-caller.ts'
import type { PresentedCertificate } from '../../login/certificate-check.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { RequestSource } from '../../store/operation-meta.ts'
import { bearerTokens, headerLines } from './bearer-tokens.ts'
import { readClientCertificate } from './client-certificate.ts'
import { NO_PARAMETERS, type Query } from './query.ts'
import { remoteAddrOf, requestSource } from './request-source.ts'
import type { CallHead } from './session-cookie.ts'

/** The authenticated party of a request, and on the hosted API the organization that it acts for. */
export interface Admitted {
  readonly session: LiveSession | undefined
  readonly token?: string
  readonly isCookie?: boolean
  /** What counts as sent in `Authorization` lines. */
  readonly bearers?: readonly string[]
  readonly hosted?: HostedCaller
}

/** What the pipeline has read of a request. */
interface ReadRequest {
  readonly request: FastifyRequest
  readonly caller: Admitted | undefined
  readonly query: Query | undefined
  readonly body: unknown
  readonly bytes: Buffer | undefined
}

/**
 * A call that has passed the pipeline. A class, since a getter in an object literal would cost every call a hidden class of its own, and
 * every handler its speed.
 */
export class Call {
  /** What an error of this call carries as `requestId`. */
  readonly requestId: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  /** Read by the route's schema. */
  readonly body: unknown
  /** Whether anything was sent for it. */
  readonly hasBody: boolean
  /** Present unless the route is anonymous. */
  readonly session: LiveSession | undefined
  /** Present where the route is of the hosted API. */
  readonly hosted: HostedCaller | undefined
  /** The token that the caller presented for `session`; undefined when no script of his may read it. */
  readonly sessionToken: string | undefined
  /** What came in `Authorization: Bearer` lines, in order, not yet looked at. */
  readonly untrustedBearers: readonly string[]
  readonly clientAddress: string
  /** The header `If-Match`: the versions of the thing, one of which the caller has seen. */
  readonly ifMatch: string | undefined
  readonly #request: FastifyRequest

  constructor({ request, caller, query = NO_PARAMETERS, body, bytes }: ReadRequest) {
    this.#request = request
    this.requestId = request.id
    this.params = request.params as Record<string, string>
    this.query = query
    this.body = body
    this.hasBody = bytes !== undefined && bytes.length > 0
    this.session = caller?.session
    this.hosted = caller?.hosted
    this.sessionToken = caller?.isCookie ? undefined : caller?.token
    this.untrustedBearers = caller?.bearers ?? bearerTokens(request.raw.rawHeaders)
    this.clientAddress = request.ip
    this.ifMatch = request.headers['if-match']
  }

  /** What came before the body, not yet looked at. */
  get untrustedHead(): CallHead & { readonly url: string } {
    return this.#request
  }

  /** Every line of a header, by its name in lower case, in order, not yet looked at. */
  untrustedHeaderLines(name: string): readonly string[] {
    return headerLines(this.#request.raw.rawHeaders, name)
  }

  /** Where an interrupted stream of events is to go on. */
  get untrustedLastEventId(): string | undefined {
    const { 'last-event-id': id } = this.#request.headers
    return typeof id === 'string' && id !== '' ? id : undefined
  }

  /** By which connection it came. */
  get source(): RequestSource {
    return requestSource(this.#request)
  }

  /** The client's address, with its port where that is known. */
  get remoteAddr(): string {
    return remoteAddrOf(this.#request)
  }

  /** The certificate of the connection, not yet judged. Reading it is dear: for calls that need it. */
  clientCertificate(): PresentedCertificate | undefined {
    return readClientCertificate(this.#request.raw.socket)
  }

  /** The collection's name as the caller wrote it, of the path `/edge/management/v1/NAME/…`: links answer in the caller's words. */
  get collection(): string {
    return this.#request.routeOptions.url?.split('/')[4] ?? ''
  }
}
