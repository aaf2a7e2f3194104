import { type IncomingMessage, type ServerResponse, validateHeaderValue } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { Logger } from 'pino'
import { jsonText } from './envelope.ts'
import type { ErrorAnswer } from './errors.ts'
import { hasUnreadBody } from './read-bytes.ts'
import type { Answer } from './route.ts'

/** How long, and how much, is still read from a client that sends on although it has its answer. */
const LINGER_MS = 1_000
const LINGER_BYTES = 1_048_576
/** As much as comes with the headers, mostly. */
const LET_GO_BYTES = 16_384
/** Of a long answer so much is sent at a time. */
const PIECE = 65_536
const NO_CONTENT = 204
const JSON_TYPE = 'application/json'

/** A good answer. A stream that breaks after its first bytes ends the connection, which is all that can still be said. */
export function sendAnswer(answer: Answer, reply: FastifyReply, log: Logger): FastifyReply {
  const { status, headers, cookies, json, text, stream, bytes } = answer
  reply.code(status)
  if (cookies) reply.header('set-cookie', cookies)
  if (!stream && !bytes && status !== NO_CONTENT) return sendText(text ?? jsonText(json), reply, headers)
  for (const [name, value] of Object.entries(headers ?? {})) {
    // Here a value that no header can hold is a 500 like any other fault; later it would get in the way of that answer too.
    validateHeaderValue(name, value)
    reply.header(name, value)
  }
  if (bytes) return reply.header('content-type', bytes.type).send(bytes.content)
  if (!stream) return reply.send()
  if (!reply.hasHeader('content-type')) reply.header('content-type', JSON_TYPE)
  stream.on('error', (error) => log.error({ requestId: reply.request.id, err: error }, 'an answer broke off'))
  return reply.send(stream)
}

/**
 * Head and text leave in one write, hence in one TLS record; the framework would make it two, at twice the cost. The headers of an answer
 * are not made the reply's: one that cannot be sent would get in the way of the 500 too.
 */
function sendText(text: string, reply: FastifyReply, ownHeaders?: Answer['headers']): FastifyReply {
  const headers = reply.getHeaders() as Record<string, string | number>
  headers['content-type'] ??= JSON_TYPE
  Object.assign(headers, ownHeaders)
  const bytes = Buffer.byteLength(text)
  headers['content-length'] = bytes
  reply.raw.writeHead(reply.statusCode, headers)
  reply.hijack()
  // The same bytes where it is all ASCII, without being encoded.
  const isAscii = bytes === text.length
  if (bytes <= PIECE) reply.raw.end(text, isAscii ? 'latin1' : 'utf8')
  else sendInPieces(isAscii ? text : Buffer.from(text), reply.raw)
  return reply
}

/** As fast as the client takes it: a long answer would otherwise be encrypted as a whole for each who is slow to read it. */
function sendInPieces(content: string | Buffer, response: ServerResponse): void {
  let sent = 0
  const sendOn = (): void => {
    while (sent + PIECE < content.length) {
      const isTaken = response.write(content.slice(sent, sent + PIECE), 'latin1')
      sent += PIECE
      if (!isTaken) return void response.once('drain', sendOn)
    }
    response.end(content.slice(sent), 'latin1')
  }
  sendOn()
}

/** An error. The connection closes when the rest of the request is not worth reading. */
export function sendError(answer: ErrorAnswer, reply: FastifyReply): void {
  const { raw } = reply.request
  reply.code(answer.status).headers(answer.headers)
  const isUnread = hasUnreadBody(raw)
  if (answer.closes || (isUnread && !isSoonOver(raw))) {
    sendAndClose(answer.body, reply)
    return
  }
  sendText(answer.body, reply)
  if (isUnread) raw.resume()
}

/**
 * A few bytes that are on their way are read and let go: a new connection costs more than a hundred refusals, and a flood would be given one
 * for each. Who waits to be told to go on sends nothing.
 */
function isSoonOver({ headers }: IncomingMessage): boolean {
  return headers.expect === undefined && Number(headers['content-length']) <= LET_GO_BYTES
}

/**
 * Sends the whole answer and closes a little later: a connection that is cut while the client still sends is reset, and the
 * answer is lost with it.
 */
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
