import { AppError, JsonError, readBody, readJson } from '@countersign/core'
import { checkJsonContentType } from './limits.ts'
import type { Route } from './route.ts'

const BODY_LIMITS = { maxDepth: 64, maxMembers: 10_000, maxStringLength: 65_536, refusePrototypeNames: true }

/** The body of a call, read by the route's schema. An absent body is an error only where one is required. */
export function readJsonBody(
  { body }: Pick<Route, 'body'>,
  bytes: Buffer | undefined,
  contentType: string | undefined,
): unknown {
  if (!body) return undefined
  if (!bytes || bytes.length === 0) {
    if (body.optional) return readBody(body.schema, {})
    throw new AppError('COULD_NOT_VALIDATE', { field: 'body', reason: 'body in body is required', value: '' })
  }
  checkJsonContentType(contentType)
  return readBody(body.schema, parseJson(bytes))
}

function parseJson(bytes: Buffer) {
  try {
    return readJson(bytes, BODY_LIMITS)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const { reason, line, column } = error
    throw new AppError('COULD_NOT_PARSE_BODY', { message: `${reason} at line ${line}, column ${column}` }, { cause: error })
  }
}
