import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError, newId } from '@countersign/core'
import type { Logger } from 'pino'
import { errorResponse } from './errors.ts'

const LINGER_MS = 1_000

/** Errors of the HTTP parser, by code; every other one is a plain 400. */
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
  /** For bytes that are not an HTTP request, or arrive too slowly. */
  onClientError(error: NodeJS.ErrnoException, socket: Duplex): void
  /** For the method CONNECT. */
  onConnect(request: IncomingMessage, socket: Duplex): void
}

/** Sends the usual error envelope and closes. It is written to the socket because there is no request to reply to. */
export function createUnreadableRequests(
  ownHeaders: Readonly<Record<string, string>>,
  log: Logger,
): UnreadableRequests {
  // The parser reports every further chunk of the same broken request.
  const refused = new WeakSet<Duplex>()

  const refuse = (socket: Duplex, error: AppError): void => {
    refused.add(socket)
    const { status, headers, body } = errorResponse(error, { id: newId(), url: '' }, log)
    const all = { ...ownHeaders, ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`HTTP/1.1 ${status} ${REASONS[status] ?? 'Error'}\r\n${lines.join('')}\r\n`)
    socket.end(body)
    // Closing while the client still sends would reset the connection, and the response would be lost.
    const cut = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(cut))
  }

  return {
    onClientError: (error, socket) => {
      if (refused.has(socket)) return
      const pending = pendingResponse(socket)
      const isAboutHttp = error.code?.startsWith('HPE_') || error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      if (!isAboutHttp || !socket.writable) socket.destroy()
      else if (pending) {
        refused.add(socket)
        pending.once('finish', () => socket.end(() => socket.destroy()))
      } else refuse(socket, PARSER_ERRORS[error.code ?? ''] ?? new AppError('BAD_REQUEST'))
    },
    onConnect: (_request, socket) => {
      socket.on('error', () => socket.destroy()).resume()
      refuse(socket, new AppError('METHOD_NOT_ALLOWED', { message: 'method CONNECT is not allowed' }))
    },
  }
}

/**
 * The response that is being sent on the connection, to this request or an earlier one: anything written now would become part of it. Node keeps
 * it in this member, and checks it for the same reason before its own response to a broken request.
 */
function pendingResponse(socket: Duplex): ServerResponse | undefined {
  const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse | null }
  return response && (response.headersSent || response.req.complete) ? response : undefined
}
