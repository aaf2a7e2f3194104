import type { IncomingHttpHeaders } from 'node:http'
import { AppError, isJsonObject, JsonError, type JsonValue, readBody, readJson } from '@countersign/core'
import { JSON_TYPE, readMediaType } from './limits.ts'
import type { Route } from './route.ts'

const BODY_LIMITS = { maxDepth: 64, maxMembers: 10_000, maxStringLength: 65_536, refusePrototypeNames: true }

/** Parses the body by the route's schema. A missing body is an error only if the route requires one. */
export function readJsonBody(
  { body }: Pick<Route, 'body'>,
  bytes: Buffer | undefined,
  headers: IncomingHttpHeaders,
): unknown {
  if (!body) return undefined
  if (!bytes || bytes.length === 0) {
    if (body.optional) return readBody(body.schema, {})
    const { parameter: field = 'body' } = body
    throw new AppError('COULD_NOT_VALIDATE', { field, reason: `${field} in body is required`, value: '' })
  }
  const { text } = body
  if (readMediaType(headers, text?.types) === JSON_TYPE || !text) return readBody(body.schema, parseJson(bytes))
  return readBody(body.schema, { [text.member]: bytes.toString() })
}

function parseJson(bytes: Buffer): JsonValue {
  try {
    const value = readJson(bytes, BODY_LIMITS)
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
