import type { Readable } from 'node:stream'
import type { ErrorCode, HostedAccess } from '@countersign/contract'
import type { BodySchema, ReadOnlyNames, RequiredPermission } from '@countersign/core'
import type { EventStreamSource } from '../../events/event-stream-source.ts'
import type { HostedCaller } from '../../hosted/hosted-caller.ts'
import type { ScimCaller } from '../../login/channels/scim-callers.ts'
import type { LiveSession } from '../../session/live-sessions.ts'
import type { Call } from './call.ts'
import type { RouteNote } from './route-note.ts'

export const ROUTE_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof ROUTE_METHODS)[number]

/**
 * What a caller needs: nothing, a session that may lack its second factor, a complete session, a SCIM token of the signer in the path, a permission,
 * or access to the hosted API. There is no default.
 */
export type Access = 'anonymous' | 'partial-session' | 'any-session' | 'scim' | RequiredPermission | HostedRequirement

/** An access token of the organization's identity provider, or a session of the organization that owns this controller. */
export interface HostedRequirement {
  readonly hosted: HostedAccess
}

/**
 * The limit of an anonymous call. `attempt` for every call that tries a credential, does cryptography or writes: refused ones count against the
 * client's address, and over the limit the response is a 429 before the body is read. `query` for lists: every call with a query counts. `none` for
 * other calls that only read.
 */
export type Rate = 'attempt' | 'query' | 'none'

/**
 * One row of the route table. All protection of a call is in the row, so that no handler can forget it: a row without access or body cap, or an
 * anonymous one without rate, does not compile.
 */
export type Route = RouteParts &
  (
    | { readonly access: 'anonymous'; readonly rate: Rate }
    | { readonly access: Exclude<Access, 'anonymous'>; readonly rate?: never }
  )

interface RouteParts {
  readonly method: Method
  readonly paths: readonly string[]
  readonly bodyCap: 'anonymous' | 'management'
  /** Null when the call takes no body. */
  readonly body: RouteBody | null
  /** The media type of a successful response if it is not JSON. Errors are always JSON. */
  readonly produces?: string
  /** For the OpenAPI documents of the edge APIs; null for calls of others. The hosted API has its notes in `openapi/hosted-notes.ts`. */
  readonly note: RouteNote | null
  /** Set when a call with another method than GET changes nothing. */
  readonly onlyReads?: true
  /** Set when a caller without permissions changes its own credentials, which the audit record keeps. */
  readonly changesOwn?: true
  /** The error code for clients that do not accept JSON; NOT_ACCEPTABLE unless given. */
  readonly unacceptable?: ErrorCode
  handle(call: Call): Promise<RouteResponse> | RouteResponse
}

export interface RouteBody {
  readonly schema: BodySchema
  /** Whether the body may be missing. */
  readonly optional: boolean
  /** The names in responses that a body may repeat. On the hosted API other unknown members are refused. Default: none. */
  readonly readOnly?: ReadOnlyNames
  /** Members whose near misses are reported to the caller, because ignoring one silently would weaken security. */
  readonly watched?: readonly string[]
  /** The name of the body in the error for a missing one, where existing clients expect it. */
  readonly parameter?: string
  /** Other media types: the whole text becomes the value of `member`. `isInJson`: a JSON string too. `isOnly`: no JSON at all. */
  readonly text?: {
    readonly types: readonly string[]
    readonly member: string
    readonly isInJson?: true
    readonly isOnly?: true
  }
  /** The body is a form, in place of JSON: its parameters are the members. */
  readonly form?: true
}

/** The response of a handler: a JSON value, JSON text whole or as a stream, bytes of another type, or an event stream. */
export interface RouteResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Counts as a refusal although it is a redirect. */
  readonly isRefusal?: boolean
  /** `Set-Cookie` lines. */
  readonly cookies?: readonly string[]
  readonly json?: unknown
  /** JSON text, or its bytes. */
  readonly text?: string | Buffer
  /** JSON text, sent while it is produced. */
  readonly stream?: Readable
  /** Server-sent events, until the caller is no longer authorized. */
  readonly eventStream?: EventStreamSource
  readonly bytes?: { readonly content: Buffer; readonly type: string }
}

/** The session of a call whose route is not anonymous. */
export function sessionOf(call: Pick<Call, 'session'>): LiveSession {
  if (!call.session) throw new TypeError('the route is anonymous')
  return call.session
}

/** The caller of a SCIM route. */
export function scimCallerOf(call: Pick<Call, 'scim'>): ScimCaller {
  if (!call.scim) throw new TypeError('the route does not belong to SCIM')
  return call.scim
}

/** The caller of a route of the hosted API. */
export function hostedCallerOf(call: Pick<Call, 'hosted'>): HostedCaller {
  if (!call.hosted) throw new TypeError('the route does not belong to the hosted API')
  return call.hosted
}
