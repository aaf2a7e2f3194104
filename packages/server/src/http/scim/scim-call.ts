import { Readable } from 'node:stream'
import {
  buildScimSearch,
  type JsonValue,
  readScimSearch,
  SCIM_LIMITS,
  SCIM_MEDIA_TYPE,
  SCIM_URN,
  type ScimSearch,
  type ScimSearchRequest,
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
import { readSelection, type ScimSelection } from './scim-attributes.ts'

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

type List = (call: Call, search: ScimSearch) => Promise<RouteResponse>

/** The two forms in which a list is asked for: parameters of a GET, and the body of a search (RFC 7644, section 3.4.3). */
export function listRoutes(path: string, list: List): Route[] {
  const search = scimRoute('POST', `${path}/.search`, (call) => list(call, readScimSearch(scimBody(call))))
  return [scimRoute('GET', path, (call) => list(call, readListQuery(call.query))), { ...search, onlyReads: true }]
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

export function resourceHeaders(meta: unknown): { readonly etag: string; readonly location: string } {
  const { version, location } = meta as { readonly version: string; readonly location: string }
  return { etag: version, location }
}

/** Characters of a response that is sent at once. A longer one is sent while it is read. */
const MAX_TEXT = 262_144

/** A response whose text comes in pieces. */
export async function textResponse(
  pieces: AsyncGenerator<string>,
  { status, headers }: { readonly status: number; readonly headers?: Readonly<Record<string, string>> },
): Promise<RouteResponse> {
  const response = { status, headers: { 'content-type': SCIM_MEDIA_TYPE, ...headers } }
  let text = ''
  while (text.length <= MAX_TEXT) {
    const { value, done } = await pieces.next()
    if (done) return { ...response, text: `${text}\n` }
    text += value
  }
  return { ...response, stream: Readable.from(continued(text, pieces)) }
}

async function* continued(text: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  yield text
  yield* pieces
}

export const NO_CONTENT: RouteResponse = { status: 204 }

/** Which attributes of a resource the caller wants. Read it before a change: an unusable one is refused. */
export function selectionOf(call: Call): ScimSelection {
  return readSelection(namesIn(call.query))
}

function namesIn(query: Query): Pick<ScimSearchRequest, 'attributes' | 'excludedAttributes'> {
  const names = (parameter: string) => query.get(parameter)?.split(',') ?? []
  return { attributes: names('attributes'), excludedAttributes: names('excludedAttributes') }
}

function readListQuery(query: Query): ScimSearch {
  return buildScimSearch({
    ...namesIn(query),
    filter: query.get('filter'),
    startIndex: readInteger(query, 'startIndex'),
    count: readInteger(query, 'count'),
  })
}

function readInteger(query: Query, name: string): number | undefined {
  const text = query.get(name)
  if (text === undefined || text === '') return undefined
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
