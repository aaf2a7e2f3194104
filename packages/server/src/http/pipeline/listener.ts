import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, ServerOptions } from 'node:https'
import type { Settings } from '../../platform/settings/index.ts'
import type { UnreadableRequests } from './unreadable-request.ts'

/** How often connections that take too long are looked for. */
const TIMEOUT_CHECK_MS = 1_000

type HttpSettings = Settings['http']

/** Strict in what is taken for TLS and for HTTP. */
export function listenerOptions(tls: ServerOptions, http: HttpSettings): ServerOptions {
  return {
    ...tls,
    minVersion: 'TLSv1.2',
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: http.headersTimeoutSeconds * 1000,
    maxHeaderSize: http.maxHeaderBytes,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    insecureHTTPParser: false,
    // Checked by us: Node answers in its own words.
    requireHostHeader: false,
  }
}

/** Sets what cannot be an option. Answers whether the client of a request waits for a word before it sends the body. */
export function guardListener(
  server: Server,
  http: HttpSettings,
  unreadable: UnreadableRequests,
): (request: IncomingMessage) => boolean {
  server.headersTimeout = http.headersTimeoutSeconds * 1000
  server.maxConnections = http.maxConnections
  // Counted by us: Node drops what is over its own limit without a word.
  server.maxHeadersCount = 0
  server.on('connect', unreadable.onConnect)
  // An `Expect: 100-continue` is answered once it is decided to read the body; any other expectation is passed over.
  const waiting = new WeakSet<IncomingMessage>()
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request)
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  return (request) => waiting.has(request)
}
