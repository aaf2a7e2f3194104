import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import { AppError, isAllowed, newId } from '@countersign/core'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { LiveSessions } from '../../api-session/live-sessions.ts'
import type { Settings } from '../../config/index.ts'
import { PRODUCT_VERSION } from '../../version.ts'
import { authenticateCall } from './authenticate-call.ts'
import { createCors } from './cors.ts'
import { jsonBytes } from './envelope.ts'
import { type ErrorAnswer, errorAnswer } from './errors.ts'
import { rewriteLegacyPath } from './legacy-paths.ts'
import { checkAcceptsJson, checkHeaders } from './limits.ts'
import { parseQuery } from './query.ts'
import { readJsonBody } from './read-json-body.ts'
import type { Answer, Route } from './route.ts'

export interface HttpServerOptions {
  readonly routes: readonly Route[]
  readonly sessions: LiveSessions
  readonly settings: Settings
  readonly tls: ServerOptions
  readonly log: Logger
}

const SERVER_NAME = `countersign/${PRODUCT_VERSION}`
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const
const MAX_ID_LENGTH = 512
const TLS_HANDSHAKE_MS = 10_000
/** How often connections that take too long are looked for. */
const TIMEOUT_CHECK_MS = 1_000

export type HttpServer = ReturnType<typeof createHttpServer>

/** The HTTPS server: a table of routes behind one pipeline of limits, authentication, permission and validation. */
export function createHttpServer({ routes, sessions, settings, tls, log }: HttpServerOptions) {
  const { http } = settings
  const cors = createCors(settings.cors.allowedOrigins)
  const instanceId = randomUUID()

  const app = fastify({
    https: {
      ...tls,
      minVersion: 'TLSv1.2',
      requestCert: true,
      rejectUnauthorized: false,
      handshakeTimeout: TLS_HANDSHAKE_MS,
      maxHeaderSize: http.maxHeaderBytes,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      insecureHTTPParser: false,
    },
    bodyLimit: http.maxBodyBytes,
    requestTimeout: http.requestTimeoutSeconds * 1000,
    keepAliveTimeout: http.keepAliveSeconds * 1000,
    exposeHeadRoutes: false,
    genReqId: () => newId(),
    requestIdHeader: false,
    trustProxy: http.trustedProxies.length > 0 ? [...http.trustedProxies] : false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, log),
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
    rewriteUrl: (request) => rewriteLegacyPath(request.url ?? '/'),
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_ID_LENGTH,
    },
  })
  app.server.headersTimeout = http.headersTimeoutSeconds * 1000
  app.server.maxConnections = http.maxConnections
  // Counted by us: Node drops what is over its own limit without a word.
  app.server.maxHeadersCount = 0
  // The pipeline answers an `Expect: 100-continue` once it has decided to read the body.
  app.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    awaitsContinue.add(request)
    app.server.emit('request', request, response)
  })

  function prepareReply(request: FastifyRequest, reply: FastifyReply): void {
    reply.header('server', SERVER_NAME)
    reply.header('ziti-instance-id', instanceId)
    reply.header('x-content-type-options', 'nosniff')
    const { origin } = request.headers
    if (origin !== undefined) reply.headers(cors.headersFor(origin))
  }

  function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const answer = errorAnswer(error, request.id, log)
    reply.code(answer.status).headers(answer.headers)
    if (answer.closes) closeAfterAnswer(reply)
    reply.send(answer.body)
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.addHook('onRequest', (request, reply, done) => {
    prepareReply(request, reply)
    const maxBodyBytes = request.routeOptions.bodyLimit ?? http.maxBodyBytes
    checkHeaders(request.raw, { maxHeaderLines: http.maxHeaderLines, maxBodyBytes })
    if (awaitsContinue.delete(request.raw)) reply.raw.writeContinue()
    done()
  })
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    sendError(new AppError('NOT_FOUND', { message: `path ${path.slice(0, 256)} was not found` }), request, reply)
  })

  app.options('/*', (request, reply) => {
    const { origin } = request.headers
    if (origin === undefined) return reply.code(200).send()
    const allowed = cors.preflight(origin, request.headers['access-control-request-headers'])
    if (allowed) return reply.code(200).headers(allowed).send()
    return reply.code(403).removeHeader('access-control-allow-origin').send()
  })

  async function serve(route: Route, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { headers } = request
    const caller = route.access === 'anonymous' ? undefined : await authenticateCall(headers, sessions)
    if (caller && typeof route.access === 'object' && !isAllowed(caller.session.identity, route.access)) {
      throw new AppError('UNAUTHORIZED')
    }
    if (!route.produces) checkAcceptsJson(headers.accept)
    const answer = await route.handle({
      params: request.params as Record<string, string>,
      query: parseQuery(request.url),
      body: readJsonBody(route, request.body as Buffer | undefined, headers['content-type']),
      session: caller?.session,
      sessionToken: caller?.token,
      clientAddress: request.ip,
      collection: collectionOf(request.routeOptions.url ?? ''),
    })
    if (caller) reply.header('cache-control', 'no-store')
    // Returned, so that the framework waits for a stream to end.
    return sendAnswer(answer, reply)
  }

  for (const [path, rows] of Map.groupBy(routes.flatMap(byPath), ({ path }) => path)) {
    const offered = rows.map(({ route }) => route.method)
    for (const { route } of rows) {
      const bodyLimit = route.bodyCap === 'anonymous' ? http.maxBodyBytes : http.maxManagementBodyBytes
      app.route({ method: route.method, url: path, bodyLimit, handler: (request, reply) => serve(route, request, reply) })
    }
    const others = METHODS.filter((method) => !(offered as string[]).includes(method))
    const handler = (request: FastifyRequest, reply: FastifyReply): void => {
      reply.header('allow', offered.join(', '))
      const message = `method ${request.method} is not allowed, but [${offered.join(',')}] are`
      sendError(new AppError('METHOD_NOT_ALLOWED', { message }), request, reply)
    }
    app.route({ method: others, url: path, handler })
  }
  return app
}

const awaitsContinue = new WeakSet<IncomingMessage>()

function byPath(route: Route): { path: string; route: Route }[] {
  return route.paths.map((path) => ({ path, route }))
}

/** `/edge/management/v1/ext-jwt-signers/:id` is about `ext-jwt-signers`. */
function collectionOf(pattern: string): string {
  return pattern.split('/')[4] ?? ''
}

function sendAnswer({ status, headers, json, stream, bytes }: Answer, reply: FastifyReply): FastifyReply {
  reply.code(status)
  if (headers) reply.headers(headers)
  if (bytes) return reply.header('content-type', bytes.type).send(bytes.content)
  return reply.header('content-type', 'application/json').send(stream ?? jsonBytes(json))
}

/** Tells the client to go, and goes itself once the answer is out: what it still sends is not read. */
function closeAfterAnswer(reply: FastifyReply): void {
  reply.header('connection', 'close')
  reply.raw.once('finish', () => reply.raw.socket?.destroySoon())
}

const UNREADABLE: Readonly<Record<string, AppError>> = {
  HPE_HEADER_OVERFLOW: new AppError('REQUEST_HEADERS_TOO_LARGE'),
  ERR_HTTP_REQUEST_TIMEOUT: new AppError('REQUEST_TIMEOUT'),
}

/** Bytes that are no HTTP request get an answer in the same envelope, written by hand since there is no request to reply to. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket, log: Logger): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const known = UNREADABLE[error.code ?? ''] ?? new AppError('BAD_REQUEST')
  const answer: ErrorAnswer = errorAnswer(known, newId(), log)
  const headers = { server: SERVER_NAME, ...answer.headers, 'content-length': answer.body.length, connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.write(`HTTP/1.1 ${answer.status} ${REASONS[answer.status] ?? 'Error'}\r\n${lines.join('\r\n')}\r\n\r\n`)
  socket.end(answer.body)
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}
