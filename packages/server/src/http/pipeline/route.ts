import type { Readable } from 'node:stream'
import type { ErrorCode } from '@countersign/contract'
import type { BodySchema, RequiredPermission } from '@countersign/core'
import type { EventStreamSource } from '../../events/event-stream-source.ts'
import type { HostedAccess, HostedCaller } from '../../hosted/hosted-caller.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { Call } from './call.ts'
import type { RouteNote } from './route-note.ts'

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
  /** What the OpenAPI document says of it; null for calls outside the two APIs that have a document. */
  readonly note: RouteNote | null
  /** How a caller is refused who takes no JSON; NOT_ACCEPTABLE unless given. */
  readonly unacceptable?: ErrorCode
  handle(call: Call): Promise<Answer> | Answer
}

export interface RouteBody {
  readonly schema: BodySchema
  readonly optional: boolean
  /** What existing clients call it, where one that is missing is told by that name. */
  readonly parameter?: string
  /** Other media types that are taken as they stand, for the value of one member. */
  readonly text?: { readonly types: readonly string[]; readonly member: string }
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
export function sessionOf(call: Pick<Call, 'session'>): LiveSession {
  if (!call.session) throw new TypeError('the route is anonymous')
  return call.session
}

/** The caller of a route of the hosted API. */
export function hostedCallerOf(call: Pick<Call, 'hosted'>): HostedCaller {
  if (!call.hosted) throw new TypeError('the route is not of the hosted API')
  return call.hosted
}
