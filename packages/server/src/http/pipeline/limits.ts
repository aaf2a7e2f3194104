import type { IncomingMessage } from 'node:http'
import { AppError } from '@countersign/core'

/** What is refused by looking at the headers alone, before anything is read, parsed or looked up. */
export function checkHeaders(request: IncomingMessage, limits: { maxHeaderLines: number; maxBodyBytes: number }): void {
  if (request.rawHeaders.length / 2 > limits.maxHeaderLines) throw new AppError('REQUEST_HEADERS_TOO_LARGE')
  const length = request.headers['content-length']
  if (length !== undefined && Number(length) > limits.maxBodyBytes) throw new AppError('REQUEST_ENTITY_TOO_LARGE')
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw mediaTypeError('Content-Encoding', `unsupported content encoding ${quoted(encoding)}`, encoding)
  }
}

/** Whether the caller takes JSON; a header that is absent takes everything. */
export function checkAcceptsJson(accept: string | undefined): void {
  if (accept === undefined || accept === '') return
  const ranges = accept.toLowerCase().split(',')
  if (ranges.some((range) => JSON_RANGES.has(range.split(';', 1)[0]?.trim() ?? ''))) return
  const reason = `unsupported media type requested, only [application/json] are available`
  throw new AppError('NOT_ACCEPTABLE', { field: 'Accept', reason, value: accept.slice(0, 128) })
}

const JSON_RANGES = new Set(['*/*', 'application/*', 'application/json'])

/** A body must say that it is JSON, in exactly these words. */
export function checkJsonContentType(contentType: string | undefined): void {
  const [type = '', ...parameters] = (contentType ?? '').split(';')
  const isJson = type.trimEnd().toLowerCase() === 'application/json'
  if (isJson && parameters.every((parameter) => CHARSETS.has(parameter.trim().toLowerCase()))) return
  const reason = `unsupported media type ${quoted(contentType ?? '')}, only [application/json] are allowed`
  throw mediaTypeError('Content-Type', reason, contentType ?? '')
}

const CHARSETS = new Set(['charset=utf-8', 'charset="utf-8"'])

function mediaTypeError(field: string, reason: string, value: string): AppError {
  return new AppError('UNSUPPORTED_CONTENT_TYPE', { field, reason, value: value.slice(0, 128) })
}

const quoted = (text: string): string => `"${text.slice(0, 128)}"`
