import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, newId } from '@countersign/core'
import type { Logger } from 'pino'
import { errorAnswer } from './errors.ts'

const LINGER_MS = 1_000

/** What the parser of HTTP reports, in our words; every other complaint of it is a plain 400. */
const PARSER_ERRORS: Readonly<Record<string, AppError>> = {
  HPE_HEADER_OVERFLOW: new AppError('REQUEST_HEADERS_TOO_LARGE'),
  ERR_HTTP_REQUEST_TIMEOUT: new AppError('REQUEST_TIMEOUT'),
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}

export interface UnreadableRequests {
  /** Bytes that are no HTTP request, or come too slowly. */
  onClientError(error: NodeJS.ErrnoException, socket: Duplex): void
  /** A request to become a tunnel. */
  onConnect(request: IncomingMessage, socket: Duplex): void
}

/** Answers in the same envelope as everywhere, written by hand since there is no request to reply to, and closes. */
export function createUnreadableRequests(
  ownHeaders: Readonly<Record<string, string>>,
  log: Logger,
): UnreadableRequests {
  // The parser reports every further piece of the same broken request.
  const refused = new WeakSet<Duplex>()

  const refuse = (socket: Duplex, error: AppError): void => {
    refused.add(socket)
    const { status, headers, body } = errorAnswer(error, { id: newId(), url: '' }, log)
    const all = { ...ownHeaders, ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`HTTP/1.1 ${status} ${REASONS[status] ?? 'Error'}\r\n${lines.join('')}\r\n`)
    socket.end(body)
    // A connection that is cut while the client still sends is reset, and the answer is lost with it.
    const cut = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(cut))
  }

  return {
    onClientError: (error, socket) => {
      if (refused.has(socket)) return
      const underWay = answerUnderWay(socket)
      const isAboutHttp = error.code?.startsWith('HPE_') || error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      if (!isAboutHttp || !socket.writable) socket.destroy()
      else if (underWay) {
        refused.add(socket)
        underWay.once('finish', () => socket.end(() => socket.destroy()))
      } else refuse(socket, PARSER_ERRORS[error.code ?? ''] ?? new AppError('BAD_REQUEST'))
    },
    onConnect: (_request, socket) => {
      socket.on('error', () => socket.destroy()).resume()
      refuse(socket, new AppError('METHOD_NOT_ALLOWED', { message: 'method CONNECT is not allowed' }))
    },
  }
}

/**
 * The answer that is being given on the connection, to this request or to an earlier one: words in between would be taken for a
 * part of it. Node keeps it in this member, and looks there for the same reason before it answers a broken request itself.
 */
function answerUnderWay(socket: Duplex): ServerResponse | undefined {
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse | null }
  return answer && (answer.headersSent || answer.req.complete) ? answer : undefined
}
