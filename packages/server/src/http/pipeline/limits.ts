import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { CODE_HEADER, type ErrorCode } from '@countersign/contract'
import { AppError } from '@countersign/core'

/** How many lines of a header are allowed, where more would make the request ambiguous. */
const MOST_LINES: ReadonlyMap<string, number> = new Map([
  ['host', 1],
  ['content-type', 1],
  ['zt-session', 1],
  [CODE_HEADER, 1],
  ['authorization', 3],
])

/** Checks the headers, before anything else is read, parsed or looked up. Throws the refusal. */
export function checkHeaders(request: IncomingMessage, maxHeaderLines: number): void {
  const { rawHeaders, headers } = request
  if (rawHeaders.length / 2 > maxHeaderLines) throw new AppError('REQUEST_HEADERS_TOO_LARGE')
  const seen = new Map<string, number>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    const most = MOST_LINES.get(name)
    if (most === undefined) continue
    const lines = (seen.get(name) ?? 0) + 1
    if (lines > most) throw tooManyLines(name, most)
    seen.set(name, lines)
  }
  if (headers.host === undefined && request.httpVersion !== '1.0') throw malformed('the Host header is missing')
  const transferEncoding = headers['transfer-encoding']
  if (transferEncoding !== undefined && transferEncoding.toLowerCase() !== 'chunked') {
    throw malformed('the only Transfer-Encoding is chunked')
  }
}

function tooManyLines(name: string, most: number): AppError {
  const reason = `at most ${most} ${most === 1 ? 'line' : 'lines'} of this header ${most === 1 ? 'is' : 'are'} allowed`
  return name === 'host'
    ? malformed('there is more than one Host')
    : fieldOfHeader('COULD_NOT_VALIDATE', name, reason, '')
}

function malformed(message: string): AppError {
  return new AppError('BAD_REQUEST', { message })
}

/** Refuses a body that declares itself too long, before a byte of it is read. */
export function checkDeclaredLength(headers: IncomingHttpHeaders, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new AppError('REQUEST_ENTITY_TOO_LARGE')
}

/** Ids never contain control characters, and PostgreSQL rejects NUL: such a path is NOT_FOUND. */
export function checkParams(params: Readonly<Record<string, string>>): void {
  for (const value of Object.values(params)) if (hasControlCharacter(value)) throw new AppError('NOT_FOUND')
}

function hasControlCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit < 0x20 || unit === 0x7f) return true
  }
  return false
}

/** Checks that the client accepts JSON; without the header it accepts everything. `refusal` replaces the error code. */
export function checkAcceptsJson(accept: string | undefined, refusal?: ErrorCode): void {
  if (accept === undefined || accept === '' || acceptsOne(accept, [JSON_TYPE])) return
  throw refusal ? new AppError(refusal) : notAcceptable(accept, [JSON_TYPE])
}

/** Checks that the client accepts one of these types below `application`. */
export function checkAccepts(accept: string, types: readonly string[]): void {
  if (accept !== '' && !acceptsOne(accept, types)) throw notAcceptable(accept, types)
}

function acceptsOne(accept: string, types: readonly string[]): boolean {
  const ranges = accept.toLowerCase().split(',')
  return ranges.some((range) => ANY_RANGES.concat(types).includes(range.split(';', 1)[0]?.trim() ?? ''))
}

const ANY_RANGES = ['*/*', 'application/*']

function notAcceptable(accept: string, types: readonly string[]): AppError {
  const reason = `unsupported media type requested, only [${types.join(' ')}] are available`
  return fieldOfHeader('NOT_ACCEPTABLE', 'Accept', reason, accept)
}

/**
 * The media type of a body: JSON, unless it is not allowed, or one of `others`, compared exactly. Bodies are never decompressed: another content
 * encoding is refused.
 */
export function readMediaType(headers: IncomingHttpHeaders, others: readonly string[] = [], mayBeJson = true): string {
  const { 'content-type': contentType = '', 'content-encoding': encoding = 'identity' } = headers
  if (encoding.toLowerCase() !== 'identity') {
    throw unsupported('Content-Encoding', `unsupported content encoding ${quoted(encoding)}`, encoding)
  }
  const [type = '', ...parameters] = contentType.split(';')
  const allowed = mayBeJson ? [JSON_TYPE, ...others] : others
  const found = allowed.find((known) => known === type.trimEnd().toLowerCase())
  if (found && parameters.map((parameter) => parameter.trim().toLowerCase()).every(isParameterOf(found))) return found
  if (contentType !== '' && type.trim() === '') {
    throw new AppError('COULD_NOT_PARSE_BODY', { message: 'the Content-Type has no media type' })
  }
  const reason = `unsupported media type ${quoted(contentType)}, only [${allowed.join(' ')}] are allowed`
  throw unsupported('Content-Type', reason, contentType)
}

export const JSON_TYPE = 'application/json'
export const FORM_TYPE = 'application/x-www-form-urlencoded'
const CHARSETS = new Set(['charset=utf-8', 'charset="utf-8"'])

/** A form is ASCII whose escapes are UTF-8, whatever its charset says: the type has no such parameter. */
const isParameterOf = (type: string) => (parameter: string) =>
  CHARSETS.has(parameter) || (type === FORM_TYPE && parameter.startsWith('charset='))

const MAX_ECHOED_CHARACTERS = 128

const unsupported = (field: string, reason: string, value: string) =>
  fieldOfHeader('UNSUPPORTED_CONTENT_TYPE', field, reason, value)

function fieldOfHeader(
  code: 'COULD_NOT_VALIDATE' | 'NOT_ACCEPTABLE' | 'UNSUPPORTED_CONTENT_TYPE',
  field: string,
  reason: string,
  value: string,
): AppError {
  return new AppError(code, { field, reason, value: value.slice(0, MAX_ECHOED_CHARACTERS) })
}

const quoted = (text: string): string => `"${text.slice(0, MAX_ECHOED_CHARACTERS)}"`
