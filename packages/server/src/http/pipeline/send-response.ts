import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '@countersign/core'
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { validateHeaderValue } from '../../platform/node-http.ts'
import { jsonText } from './envelope.ts'
import type { ErrorResponse } from './errors.ts'
import { hasUnreadBody } from './read-bytes.ts'
import type { RouteResponse } from './route.ts'

/** How long and how much is still read from a client that keeps sending after its response. */
const LINGER_MS = 1_000
const LINGER_BYTES = 1_048_576
/** A body of this size usually arrives with the headers. */
const DISCARD_BYTES = 16_384
/** Characters or bytes of a long response that are written at a time. */
const PIECE = 65_536
/** Statuses whose responses have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304])
const JSON_TYPE = 'application/json'

/** Sends a successful response. A stream that fails after its first bytes ends the connection: the status is already sent. */
export function sendResponse(response: RouteResponse, reply: FastifyReply, log: Logger): FastifyReply {
  const { status, headers, cookies, json, text, stream, bytes } = response
  reply.code(status)
  if (cookies) reply.header('set-cookie', cookies)
  if (bytes) return sendText(bytes.content, reply, { ...headers, 'content-type': bytes.type })
  if (!stream && !WITHOUT_BODY.has(status)) return sendText(text ?? jsonText(json), reply, headers)
  for (const [name, value] of Object.entries(headers ?? {})) {
    // Throw here for an invalid value, so that it becomes a 500: once set, it would break the error response too.
    validateHeaderValue(name, value)
    reply.header(name, value)
  }
  if (!stream) return reply.send()
  if (!reply.hasHeader('content-type')) reply.header('content-type', JSON_TYPE)
  stream.on('error', (error) => noteFailure(error, log.child({ requestId: reply.request.id })))
  return reply.send(stream)
}

/** A caller who loses access while a list is sent is no fault of the server. */
function noteFailure(error: unknown, log: Logger): void {
  if (error instanceof AppError) log.info({ code: error.code }, 'a response stream was refused')
  else log.error({ err: error }, 'a response stream failed')
}

/** The form in which a text that is kept for many responses is sent without a copy for each of them. */
export function keptText(text: string): string | Buffer {
  return text.length > PIECE && Buffer.byteLength(text) > text.length ? Buffer.from(text) : text
}

/**
 * Sends head and text in one write, hence in one TLS record: the framework would need two, at twice the cost. `ownHeaders` are not set on the
 * reply, since an invalid one would break the 500 too.
 */
function sendText(text: string | Buffer, reply: FastifyReply, ownHeaders?: RouteResponse['headers']): FastifyReply {
  const headers = reply.getHeaders() as Record<string, string | number>
  headers['content-type'] ??= JSON_TYPE
  Object.assign(headers, ownHeaders)
  const bytes = Buffer.byteLength(text)
  headers['content-length'] = bytes
  reply.raw.writeHead(reply.statusCode, headers)
  reply.hijack()
  // For ASCII text latin1 gives the same bytes without encoding.
  const isAscii = bytes === text.length
  if (bytes <= PIECE) reply.raw.end(text, isAscii ? 'latin1' : 'utf8')
  else sendInPieces(isAscii || typeof text !== 'string' ? text : Buffer.from(text), reply.raw)
  return reply
}

/** Writes as fast as the client reads. Otherwise a long response to a slow client would be held in memory, encrypted, as a whole. */
function sendInPieces(content: string | Buffer, response: ServerResponse): void {
  let sent = 0
  const sendMore = (): void => {
    while (sent + PIECE < content.length) {
      const hasRoom = response.write(content.slice(sent, sent + PIECE), 'latin1')
      sent += PIECE
      if (!hasRoom) return void response.once('drain', sendMore)
    }
    response.end(content.slice(sent), 'latin1')
  }
  sendMore()
}

/** Sends an error. Closes the connection unless the rest of the request is short. */
export function sendError(response: ErrorResponse, reply: FastifyReply): void {
  const { raw } = reply.request
  reply.code(response.status).headers(response.headers)
  const isUnread = hasUnreadBody(raw)
  if (response.closes || (isUnread && !hasShortBody(raw))) {
    sendAndClose(response.body, reply)
    return
  }
  sendText(response.body, reply)
  if (isUnread) raw.resume()
}

/**
 * A short body is read and discarded: a new connection costs more than a hundred refusals, and in a flood every refusal would cause one. A client
 * that waits for `100 Continue` sends no body.
 */
function hasShortBody({ headers }: IncomingMessage): boolean {
  return headers.expect === undefined && Number(headers['content-length']) <= DISCARD_BYTES
}

/** Sends the whole response and closes later: closing while the client still sends resets the connection, and the response is lost. */
function sendAndClose(body: string, reply: FastifyReply): void {
  reply.hijack()
  const { raw: response } = reply
  const { raw: request } = reply.request
  const length = { 'content-length': Buffer.byteLength(body), connection: 'close' }
  response.writeHead(response.statusCode, { ...(reply.getHeaders() as Record<string, string>), ...length })
  response.write(body)
  let left = LINGER_BYTES
  const end = (): void => void response.end()
  const cut = setTimeout(end, LINGER_MS)
  response.once('close', () => clearTimeout(cut))
  request.once('end', end).once('close', end).once('error', end)
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) end()
  })
  request.resume()
}
