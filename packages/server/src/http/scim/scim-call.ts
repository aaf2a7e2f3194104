import { Readable } from 'node:stream'
import {
  type JsonValue,
  parseScimFilter,
  SCIM_LIMITS,
  SCIM_MEDIA_TYPE,
  SCIM_URN,
  type ScimFilter,
  scimError,
} from '@countersign/core'
import type { ScimRequest } from '../../login/channels/scim-service.ts'
import { SCIM } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { jsonText } from '../pipeline/envelope.ts'
import { readMediaType } from '../pipeline/limits.ts'
import type { Query } from '../pipeline/query.ts'
import { parseJson } from '../pipeline/read-json-body.ts'
import { type Method, type Route, type RouteResponse, scimCallerOf } from '../pipeline/route.ts'

/** A row of SCIM. Bodies are parsed by the handler: names in them are in any case, and the schema says which are ignored. */
export function scimRoute(method: Method, path: string, handle: Route['handle']): Route {
  return {
    method,
    paths: [`${SCIM}/:signerId${path}`],
    access: 'scim',
    bodyCap: 'management',
    body: null,
    produces: SCIM_MEDIA_TYPE,
    note: null,
    handle,
  }
}

/** A group is sent with its members, each of which has a few. */
const BODY_LIMITS = { maxMembers: 10 * SCIM_LIMITS.maxMembers }

/** The body of a request, as SCIM or as plain JSON. */
export function scimBody(call: Call): JsonValue {
  readMediaType(call.untrustedHead.headers, [SCIM_MEDIA_TYPE])
  if (!call.hasBody || !call.untrustedBytes) throw scimError('invalidSyntax', 'a body is required')
  return parseJson(call.untrustedBytes, BODY_LIMITS)
}

export function scimRequest(call: Call): ScimRequest {
  const { requestId, params, clientAddress, source, ifMatch } = call
  return {
    id: requestId,
    signerId: params.signerId ?? '',
    clientAddress,
    source,
    caller: scimCallerOf(call),
    ifMatch: ifMatch?.replaceAll('W/', ''),
  }
}

export function scimResponse(
  status: number,
  json: unknown,
  headers: Readonly<Record<string, string>> = {},
): RouteResponse {
  return { status, text: jsonText(json), headers: { 'content-type': SCIM_MEDIA_TYPE, ...headers } }
}

/** The response of one resource, with its version and address. */
export function resourceResponse(
  status: number,
  resource: Readonly<Record<string, unknown>>,
  meta: unknown,
): RouteResponse {
  return scimResponse(status, resource, resourceHeaders(meta))
}

export function resourceHeaders(meta: unknown): Readonly<Record<string, string>> {
  const { version, location } = meta as { readonly version: string; readonly location: string }
  return { etag: version, location }
}

/** A response whose text comes in pieces. A long one is sent while they are read, the others at once. */
export async function textResponse(
  pieces: AsyncGenerator<string>,
  {
    status,
    isLong,
    headers = {},
  }: {
    readonly status: number
    readonly isLong: boolean
    readonly headers?: Readonly<Record<string, string>>
  },
): Promise<RouteResponse> {
  const all = { 'content-type': SCIM_MEDIA_TYPE, ...headers }
  if (isLong) return { status, stream: Readable.from(pieces), headers: all }
  let text = ''
  for await (const piece of pieces) text += piece
  return { status, text: `${text}\n`, headers: all }
}

export const NO_CONTENT: RouteResponse = { status: 204 }

/** The part of a list that a request wants. */
export interface ScimPaging {
  readonly filter: ScimFilter | undefined
  readonly startIndex: number
  readonly count: number
}

/** RFC 7644, section 3.4.2.4: a smaller index counts as 1, a negative count as 0. More than the largest page is never returned. */
export function readPaging(query: Query): ScimPaging {
  const filter = query.get('filter')
  return {
    filter: filter === undefined || filter === '' ? undefined : parseScimFilter(filter),
    startIndex: Math.max(1, readInteger(query, 'startIndex', 1)),
    count: Math.min(SCIM_LIMITS.maxPage, Math.max(0, readInteger(query, 'count', SCIM_LIMITS.defaultPage))),
  }
}

function readInteger(query: Query, name: string, unset: number): number {
  const text = query.get(name)
  if (text === undefined || text === '') return unset
  if (!/^-?\d{1,9}$/.test(text)) throw scimError('invalidValue', `${name} must be an integer`)
  return Number(text)
}

interface ListPart {
  readonly total: number
  readonly startIndex: number
}

/** The members of a list before its resources. */
export function listHead(itemsPerPage: number, { total: totalResults, startIndex }: ListPart) {
  return { schemas: [SCIM_URN.list], totalResults, startIndex, itemsPerPage }
}

export function listResponse(resources: readonly unknown[], part: ListPart): RouteResponse {
  return scimResponse(200, { ...listHead(resources.length, part), Resources: resources })
}
