import type { Readable } from 'node:stream'
import type { ErrorCode } from '@countersign/contract'
import type { BodySchema, RequiredPermission } from '@countersign/core'
import type { LiveSession } from '../../api-session/live-sessions.ts'
import type { HostedAccess, HostedCaller } from '../../hosted/hosted-caller.ts'
import type { PresentedCertificate } from '../../sign-in/judge-certificate.ts'
import type { EventStreamSource } from './event-streams.ts'
import type { Query } from './query.ts'
import type { RequestSource } from './request-source.ts'
import type { CallHead } from './session-cookie.ts'

export const ROUTE_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof ROUTE_METHODS)[number]

/**
 * Who may call: everybody, whoever has a session even if its second factor is missing, whoever has a whole one, or who
 * holds the permission. There is no default.
 */
export type Access = 'anonymous' | 'partial-session' | 'any-session' | RequiredPermission | HostedRequirement

/** Who holds an access token of his organization's provider, or acts for the organization of this controller. */
export interface HostedRequirement {
  readonly hosted: HostedAccess
}

/**
 * What limits a call that anybody may make. `sign-in` for everything that tries a credential, costs cryptography or writes:
 * refused ones count against the client's address, and over the limit it is a 429 before the body is read. `none` for what
 * only reads.
 */
export type Rate = 'sign-in' | 'none'

/**
 * One row of the API. Everything that guards a call is in the row, so that nothing can be forgotten in a handler: a row
 * without access or body cap, or an anonymous one without rate, does not compile.
 */
export type Route = RouteParts &
  (
    | { readonly access: 'anonymous'; readonly rate: Rate }
    | { readonly access: Exclude<Access, 'anonymous'>; readonly rate?: never }
  )

interface RouteParts {
  readonly method: Method
  /** Every path under which it is reachable. */
  readonly paths: readonly string[]
  readonly bodyCap: 'anonymous' | 'management'
  /** The schema of the JSON body; `optional` bodies may be absent altogether. Null when the call has none. */
  readonly body: RouteBody | null
  /** The media type of a good answer where it is not JSON; errors are JSON everywhere. */
  readonly produces?: string
  /** How a caller is refused who takes no JSON; NOT_ACCEPTABLE unless given. */
  readonly unacceptable?: ErrorCode
  handle(call: Call): Promise<Answer> | Answer
}

export interface RouteBody {
  readonly schema: BodySchema
  readonly optional: boolean
  /** Other media types that are taken as they stand, for the value of one member. */
  readonly text?: { readonly types: readonly string[]; readonly member: string }
}

/** A call that has passed the pipeline. */
export interface Call {
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
  /** Every line of a header, by its name in lower case, in order, not yet looked at. */
  untrustedHeaderLines(name: string): readonly string[]
  /** What came before the body, not yet looked at. */
  readonly untrustedHead: CallHead & { readonly url: string }
  readonly clientAddress: string
  /** Where an interrupted stream of events is to go on. */
  readonly untrustedLastEventId: string | undefined
  /** The header `If-Match`: the versions of the thing, one of which the caller has seen. */
  readonly ifMatch: string | undefined
  /** By which connection it came. */
  readonly source: RequestSource
  /** The certificate of the connection, not yet judged. Reading it is dear: for calls that need it. */
  clientCertificate(): PresentedCertificate | undefined
  /** The collection's name as the caller wrote it: links answer in the caller's words. */
  readonly collection: string
}

/** What goes back: a JSON value, JSON text whole or as a stream, bytes of another type, or events without end. */
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** A refusal all the same, told to a browser by where it is sent: it counts as one. */
  readonly isRefusal?: boolean
  /** `Set-Cookie` lines. */
  readonly cookies?: readonly string[]
  readonly json?: unknown
  /** JSON text that is ready to be sent. */
  readonly text?: string
  /** JSON text that is sent while it is made. */
  readonly stream?: Readable
  /** Server-sent events, for as long as the caller is admitted. */
  readonly eventStream?: EventStreamSource
  readonly bytes?: { readonly content: Buffer; readonly type: string }
}

/** The session of a call whose route is not anonymous. */
export function sessionOf(call: Call): LiveSession {
  if (!call.session) throw new TypeError('the route is anonymous')
  return call.session
}

/** The caller of a route of the hosted API. */
export function hostedCallerOf(call: Call): HostedCaller {
  if (!call.hosted) throw new TypeError('the route is not of the hosted API')
  return call.hosted
}
