import { constants } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, ServerOptions } from 'node:https'
import type { HandshakeLimiter } from '../../limits/handshake-limiter.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { admitConnections } from './admit-connections.ts'
import type { UnreadableRequests } from './unreadable-request.ts'

const TIMEOUT_CHECK_MS = 1_000

/** A renegotiation would check the client's certificates again, beyond all limits. Repeat these with every new secure context. */
export const TLS_PROTOCOL = { minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION } as const

type HttpSettings = Settings['http']

export function listenerOptions(tls: ServerOptions, http: HttpSettings): ServerOptions {
  return {
    ...tls,
    ...TLS_PROTOCOL,
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: http.headersTimeoutSeconds * 1000,
    maxHeaderSize: http.maxHeaderBytes,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    insecureHTTPParser: false,
    // Checked in the pipeline: Node's own response has another format.
    requireHostHeader: false,
  }
}

interface ListenerParts {
  readonly unreadable: UnreadableRequests
  readonly handshakes: HandshakeLimiter | undefined
}

/** Sets what is not an option of the server. Returns a function that tells whether a client waits for `100 Continue`. */
export function configureListener(
  server: Server,
  http: HttpSettings,
  { unreadable, handshakes }: ListenerParts,
): (request: IncomingMessage) => boolean {
  server.headersTimeout = http.headersTimeoutSeconds * 1000
  admitConnections(server, http, handshakes)
  // Counted in the pipeline: Node silently drops headers over its own limit.
  server.maxHeadersCount = 0
  server.on('connect', unreadable.onConnect)
  // The pipeline sends `100 Continue` when it decides to read the body; other expectations are ignored.
  const waiting = new WeakSet<IncomingMessage>()
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request)
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  return (request) => waiting.has(request)
}
