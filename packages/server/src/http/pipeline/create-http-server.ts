import { randomUUID } from 'node:crypto'
import { type IncomingMessage, METHODS, type ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import { AppError, newId } from '@countersign/core'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { LiveSessions } from '../../api-session/live-sessions.ts'
import type { Settings } from '../../config/index.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import { createCors } from './cors.ts'
import { errorAnswer } from './errors.ts'
import { rewriteLegacyPath } from './legacy-paths.ts'
import { checkHeaders } from './limits.ts'
import { hasUnreadBody } from './read-bytes.ts'
import type { Route } from './route.ts'
import { sendAnswer, sendError } from './send-answer.ts'
import { serveCall } from './serve-call.ts'
import { createUnreadableRequests } from './unreadable-request.ts'

export interface HttpServerOptions {
  readonly routes: readonly Route[]
  readonly sessions: LiveSessions
  readonly settings: Settings
  readonly tls: ServerOptions
  readonly log: Logger
  /** How long a handler may take before its caller is told to come again. */
  readonly handlerMs?: number
}

const HANDLER_MS = 10_000
const MAX_ID_LENGTH = 512
const MAX_SHOWN_PATH = 256
/** How often connections that take too long are looked for. */
const TIMEOUT_CHECK_MS = 1_000
/** A connection on which no byte moves for so long, in either direction, is given up. */
const STALLED_MS = 100_000
/** Tunnels never become requests, and every path answers OPTIONS in the same way. */
const SERVED_METHODS = METHODS.filter((method) => method !== 'CONNECT' && method !== 'OPTIONS')

export type HttpServer = ReturnType<typeof createHttpServer>

/** The HTTPS server: a table of routes behind one pipeline of limits, authentication, permission and validation. */
export function createHttpServer({ routes, sessions, settings, tls, log, handlerMs = HANDLER_MS }: HttpServerOptions) {
  const { http } = settings
  const cors = createCors(settings.cors.allowedOrigins)
  const ownHeaders = {
    server: `countersign/${PRODUCT_VERSION}`,
    'ziti-instance-id': randomUUID(),
    'x-content-type-options': 'nosniff',
  }
  const unreadable = createUnreadableRequests(ownHeaders, log)

  const app = fastify({
    https: {
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
    },
    connectionTimeout: STALLED_MS,
    requestTimeout: http.requestTimeoutSeconds * 1000,
    keepAliveTimeout: http.keepAliveSeconds * 1000,
    exposeHeadRoutes: false,
    genReqId: () => newId(),
    requestIdHeader: false,
    trustProxy: http.trustedProxies.length > 0 ? [...http.trustedProxies] : false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: unreadable.onClientError,
    frameworkErrors: (error, request, reply) => {
      prepareReply(request, reply)
      refuse(error, request, reply)
    },
    rewriteUrl: (request) => rewriteLegacyPath(request.url ?? '/'),
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_ID_LENGTH,
    },
  })
  const { server } = app
  server.headersTimeout = http.headersTimeoutSeconds * 1000
  server.maxConnections = http.maxConnections
  // Counted by us: Node drops what is over its own limit without a word.
  server.maxHeadersCount = 0
  server.on('connect', unreadable.onConnect)
  // An `Expect: 100-continue` is answered once it is decided to read the body; any other expectation is passed over.
  const awaitContinue = new WeakSet<IncomingMessage>()
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    awaitContinue.add(request)
    server.emit('request', request, response)
  })
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))

  function prepareReply(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(ownHeaders)
    const { origin, upgrade } = request.headers
    if (origin !== undefined) reply.headers(cors.headersFor(origin))
    // No other protocol is spoken here, and nothing is read behind the request that asks for one.
    if (upgrade !== undefined) reply.header('connection', 'close')
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    sendError(errorAnswer(error, request.id, log), reply)
  }

  // The pipeline reads bodies itself, when it knows whose they are.
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })

  app.addHook('onRequest', (request, reply, done) => {
    prepareReply(request, reply)
    checkHeaders(request.raw, http.maxHeaderLines)
    done()
  })
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const message = `path ${path.slice(0, MAX_SHOWN_PATH)} was not found`
    refuse(new AppError('NOT_FOUND', { message }), request, reply)
  })

  app.options('/*', (request, reply) => {
    if (hasUnreadBody(request.raw)) reply.header('connection', 'close')
    const { origin } = request.headers
    if (origin === undefined) return reply.code(200).send()
    const allowed = cors.preflight(origin, request.headers['access-control-request-headers'])
    if (allowed) return reply.code(200).headers(allowed).send()
    return reply.code(403).removeHeader('access-control-allow-origin').send()
  })

  const serveOptions = {
    sessions,
    http,
    handlerMs,
    awaitsContinue: (request: IncomingMessage) => awaitContinue.has(request),
  }
  for (const [url, rows] of Map.groupBy(routes.flatMap(byPath), ({ path }) => path)) {
    for (const { route } of rows) {
      const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> =>
        sendAnswer(await serveCall(route, request, reply, serveOptions), reply, log)
      app.route({ method: route.method, url, handler })
    }
    const offered = rows.map(({ route }) => route.method)
    app.route({
      method: SERVED_METHODS.filter((method) => !(offered as string[]).includes(method)),
      url,
      handler: (request, reply) => {
        reply.header('allow', offered.join(', '))
        const message = `method ${request.method} is not allowed, but [${offered.join(',')}] are`
        refuse(new AppError('METHOD_NOT_ALLOWED', { message }), request, reply)
      },
    })
  }
  return Object.assign(app, { routes })
}

function byPath(route: Route): { path: string; route: Route }[] {
  return route.paths.map((path) => ({ path, route }))
}
