import type { IncomingHttpHeaders } from 'node:http'
import {
  AppError,
  findNearMisses,
  isJsonObject,
  JsonError,
  type JsonObject,
  type JsonValue,
  type NearMiss,
  newJsonObject,
  readBody,
  readJson,
} from '@countersign/core'
import { isHostedAccess } from '../../store/operation-access.ts'
import { FORM_TYPE, JSON_TYPE, readMediaType } from './limits.ts'
import type { Route, RouteBody } from './route.ts'

const BODY_LIMITS = { maxDepth: 64, maxStringLength: 65_536, refusePrototypeNames: true }
/** Each costs a microsecond, and calls that need no permission are not counted, or only when they fail. */
const MAX_MEMBERS = { anonymous: 1_000, management: 10_000 }

/** A body by the route's schema, and the ignored members that the caller probably meant otherwise. */
export interface JsonBody {
  readonly members: unknown
  readonly nearMisses: readonly NearMiss[]
}

const NO_MISSES: readonly NearMiss[] = []
const NO_BODY: JsonBody = { members: undefined, nearMisses: NO_MISSES }

/** Parses the body, which is JSON unless the route says otherwise, by the route's schema. A missing body is an error only if the route requires one. */
export function readJsonBody(
  { body, access, bodyCap }: Pick<Route, 'access' | 'body' | 'bodyCap'>,
  bytes: Buffer | undefined,
  headers: IncomingHttpHeaders,
): JsonBody {
  if (!body) return NO_BODY
  if (!bytes || bytes.length === 0) {
    if (body.optional) return { members: readBody(body.schema, {}), nearMisses: NO_MISSES }
    const { parameter: field = 'body' } = body
    throw new AppError('COULD_NOT_VALIDATE', { field, reason: `${field} in body is required`, value: '' })
  }
  if (body.form) return { members: readBody(body.schema, readForm(bytes, headers)), nearMisses: NO_MISSES }
  const { text } = body
  const readOnly = isHostedAccess(access) ? (body.readOnly ?? []) : undefined
  if (readMediaType(headers, text?.types, !text?.isOnly) === JSON_TYPE || !text) {
    const parsed = parseJson(bytes, { maxMembers: MAX_MEMBERS[bodyCap] })
    const json = text?.isInJson && typeof parsed === 'string' ? { [text.member]: parsed } : parsed
    return { members: readBody(body.schema, json, readOnly), nearMisses: nearMissesIn(body, json) }
  }
  return { members: readBody(body.schema, { [text.member]: bytes.toString() }), nearMisses: NO_MISSES }
}

/** A parameter must not be given twice. */
function readForm(bytes: Buffer, headers: IncomingHttpHeaders): JsonObject {
  readMediaType(headers, [FORM_TYPE], false)
  const form = newJsonObject()
  for (const [name, value] of new URLSearchParams(bytes.toString())) {
    if (Object.hasOwn(form, name)) throw unreadable('a parameter is given twice')
    form[name] = value
  }
  return form
}

function nearMissesIn({ schema, watched, readOnly = [] }: RouteBody, json: JsonValue): readonly NearMiss[] {
  return watched ? findNearMisses(schema, json, { members: watched, readOnly }) : NO_MISSES
}

/** Parses JSON from a caller. Fails with COULD_NOT_PARSE_BODY. */
export function parseJson(bytes: Buffer, { maxMembers = MAX_MEMBERS.anonymous } = {}): JsonValue {
  try {
    const value = readJson(bytes, { ...BODY_LIMITS, maxMembers })
    // No stored text contains one, and PostgreSQL rejects it. In valid JSON it can only be an escape.
    if (bytes.includes('\\u0000') && holdsNull(value)) throw unreadable('a string contains a null character')
    return value
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const { reason, line, column } = error
    throw unreadable(`${reason} at line ${line}, column ${column}`, error)
  }
}

function holdsNull(value: JsonValue): boolean {
  if (typeof value === 'string') return value.includes('\0')
  if (Array.isArray(value)) return value.some(holdsNull)
  return isJsonObject(value) && Object.entries(value).some(([name, member]) => name.includes('\0') || holdsNull(member))
}

function unreadable(message: string, cause?: unknown): AppError {
  return new AppError('COULD_NOT_PARSE_BODY', { message }, { cause })
}
