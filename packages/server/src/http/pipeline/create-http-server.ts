import { randomUUID } from 'node:crypto'
import type { ServerOptions } from 'node:https'
import { Server as NetServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, newId } from '@countersign/core'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { METHODS } from '../../platform/node-http.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { PRODUCT_VERSION } from '../../platform/version.ts'
import { reauthorizeCaller, recheckRights } from './authorize-caller.ts'
import { createCors } from './cors.ts'
import { errorResponse } from './errors.ts'
import { createEventStreams, streamHolder } from './event-streams.ts'
import { Exchange, type PipelineParts } from './exchange.ts'
import { dropForwardedPorts } from './forwarded-for.ts'
import { isHostedPath } from './hosted-errors.ts'
import { rewriteLegacyPath } from './legacy-paths.ts'
import { checkHeaders } from './limits.ts'
import { configureListener, listenerOptions } from './listener.ts'
import { createPathFinder, listOfferedPaths, listShadowed, type OfferedPath } from './offered-methods.ts'
import { hasUnreadBody } from './read-bytes.ts'
import { usesDpop } from './request-proofs.ts'
import { ROUTE_METHODS, type Route, type RouteResponse } from './route.ts'
import { sendError, sendResponse } from './send-response.ts'
import { serve } from './steps.ts'
import { createTimeLimit } from './time-limit.ts'
import { createUnreadableRequests } from './unreadable-request.ts'
import { watchAccess } from './watch-access.ts'

export interface HttpServerOptions extends Omit<PipelineParts, 'http' | 'withinTime' | 'awaitsContinue'> {
  readonly routes: readonly Route[]
  readonly settings: Settings
  readonly tls: ServerOptions
  readonly log: Logger
  /** The value of the header `ziti-instance-id`; random unless given. */
  readonly instanceId?: string | undefined
  /** How long a handler may take before the request gets a 503. */
  readonly handlerMs?: number
}

/** Existing clients cache by URL alone: without these headers one account would see the data of another. */
const HOSTED_HEADERS = { vary: 'Authorization', 'cache-control': 'no-store' }
const HOSTED_HEADERS_FOR_PAGES = { ...HOSTED_HEADERS, vary: 'Authorization, Origin' }
const HANDLER_MS = 10_000
const MAX_ID_LENGTH = 512
const MAX_SHOWN_PATH = 256
/** A connection without traffic in either direction is closed after this time. */
const STALLED_MS = 100_000
/** The last event of a stream waits behind the one before it. */
const FLUSH_TURNS = 2
/** The methods whose response depends on the path. OPTIONS is the same for every path; other methods are refused everywhere. */
const METHODS_OF_PATHS: readonly string[] = ['HEAD', ...ROUTE_METHODS]

export type HttpServer = ReturnType<typeof createHttpServer>

const refuseSchema = () => {
  throw new TypeError('the pipeline validates bodies, not the schemas of the framework')
}
/** Without these the framework loads its default compilers: about a hundred modules that are not needed here. */
const NO_SCHEMA_COMPILERS = { buildValidator: refuseSchema, buildSerializer: refuseSchema }

const ROUTER_OPTIONS = {
  ignoreTrailingSlash: true,
  ignoreDuplicateSlashes: true,
  maxParamLength: MAX_ID_LENGTH,
  /** The pipeline parses the query itself. */
  querystringParser: () => ({}),
}

/** The HTTPS server: a table of routes behind one pipeline of limits, authentication, authorization and validation. */
export function createHttpServer(options: HttpServerOptions) {
  const { routes, settings, tls, log, beforeRequest, instanceId = randomUUID(), handlerMs = HANDLER_MS } = options
  const { http } = settings
  const cors = createCors(settings.cors.allowedOrigins)
  const ownHeaders = {
    server: `countersign/${PRODUCT_VERSION}`,
    'ziti-instance-id': instanceId,
    'x-content-type-options': 'nosniff',
  }
  const offeredPaths = listOfferedPaths(routes)
  const findPath = createPathFinder(offeredPaths, ROUTER_OPTIONS)
  let isDraining = false
  const unreadable = createUnreadableRequests(ownHeaders, log)

  const app = fastify({
    https: listenerOptions(tls, http),
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
    schemaController: { compilersFactory: NO_SCHEMA_COMPILERS },
    routerOptions: ROUTER_OPTIONS,
  })
  const awaitsContinue = configureListener(app.server, http, { unreadable, handshakes: options.limits.handshake })

  function prepareReply(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(ownHeaders)
    const { origin, upgrade } = request.headers
    if (origin !== undefined) reply.headers(cors.headersFor(origin))
    if (usesDpop(request)) reply.header('dpop-nonce', options.proofs.nonce())
    // No upgrade is supported, and the bytes after such a request are not read.
    if (upgrade !== undefined || isDraining) reply.header('connection', 'close')
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    refuseAt(servedPath(request), error, request, reply)
  }

  function refuseAt(path: string, error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    if (isHostedPath(path)) reply.headers(hostedHeaders(request))
    const response = errorResponse(error, { id: request.id, url: path }, log)
    const { 'www-authenticate': challenge = '' } = response.headers
    if (challenge.startsWith('DPoP ')) reply.header('dpop-nonce', options.proofs.nonce())
    sendError(response, reply)
  }

  /** Must not throw: an exception here would end the process. */
  function refuseOrCut(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    try {
      refuse(error, request, reply)
    } catch {
      // The error is logged. The head of another response is already sent, so only closing is left.
      reply.raw.destroy()
    }
  }

  function refuseMethod(request: FastifyRequest, reply: FastifyReply, { path, methods }: OfferedPath): void {
    reply.header('allow', methods.join(', '))
    const message = `method ${request.method} is not allowed, but [${methods.join(',')}] are`
    refuseAt(path, new AppError('METHOD_NOT_ALLOWED', { message }), request, reply)
  }

  // The pipeline reads bodies itself, after authentication.
  for (const method of METHODS) app.addHttpMethod(method, { hasBody: false, overrideExisting: true })

  app.addHook('onRequest', (request, reply, done) => {
    beforeRequest?.()
    dropForwardedPorts(request.headers)
    prepareReply(request, reply)
    checkHeaders(request.raw, http.maxHeaderLines)
    done()
  })
  app.setErrorHandler(refuse)
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? ''
    const offered = METHODS_OF_PATHS.includes(request.method) ? findPath(path) : { path, methods: ROUTE_METHODS }
    if (offered) return refuseMethod(request, reply, offered)
    const message = `path ${path.slice(0, MAX_SHOWN_PATH)} was not found`
    return refuse(new AppError('NOT_FOUND', { message }), request, reply)
  })

  app.options('/*', (request, reply) => {
    if (hasUnreadBody(request.raw)) reply.header('connection', 'close')
    const { origin } = request.headers
    if (origin === undefined) return reply.code(200).send()
    const allowed = cors.preflight(origin, request.headers['access-control-request-headers'])
    if (allowed) return reply.code(200).headers(allowed).send()
    for (const name of Object.keys(cors.headersFor(origin))) reply.removeHeader(name)
    return reply.code(403).send()
  })

  const streams = createEventStreams({ maxStreams: settings.events.maxStreams })
  app.addHook('preClose', async () => {
    streams.stop()
    options.limits.handshake?.cutWaiting()
    // TLS on a guarded connection writes once per turn of the event loop. Connections without a request are closed after this.
    for (let turn = 0; turn < FLUSH_TURNS; turn++) await nextTurn()
  })
  const respond = (response: RouteResponse, { route, request, reply, caller }: Exchange): void => {
    const { eventStream, stream } = response
    if (eventStream) {
      const recheckHolder = async () => streamHolder((await reauthorizeCaller(route, request, pipeline)).session)
      streams.open({ source: eventStream, holder: streamHolder(caller?.session), recheck: recheckHolder }, reply)
      return
    }
    if (stream && route.access !== 'anonymous') {
      const recheck = () => recheckRights(route, request, pipeline, caller)
      const onRefused = () => stream.destroy(new AppError('UNAUTHORIZED'))
      stream.once('close', watchAccess({ recheck, onRefused }))
    }
    sendResponse(response, reply, log)
  }

  const pipeline: PipelineParts = { ...options, http, withinTime: createTimeLimit(handlerMs), awaitsContinue }
  for (const route of routes) {
    for (const url of route.paths) {
      const isHosted = isHostedPath(url)
      const handler = (request: FastifyRequest, reply: FastifyReply): void => {
        if (isHosted) reply.headers(hostedHeaders(request))
        const exchange = new Exchange(route, request, reply, pipeline)
        const onError = (error: unknown) => refuseOrCut(error, request, reply)
        const onResponse = (response: RouteResponse): void => {
          try {
            respond(response, exchange)
          } catch (error) {
            onError(error)
          }
        }
        // Returns no promise: the framework would wait for it to the end of the response.
        serve(exchange).then(onResponse, onError)
      }
      app.route({ method: route.method, url, handler })
    }
  }
  for (const { offered, methods } of listShadowed(offeredPaths)) {
    const handler = (request: FastifyRequest, reply: FastifyReply) => refuseMethod(request, reply, offered)
    app.route({ method: methods, url: offered.path, handler })
  }
  /** Accepts no new connections and closes each open one after its next response, so that no request in transit is cut off. */
  const drain = (): void => {
    isDraining = true
    streams.stop()
    // Not `close` of the HTTP server, which closes idle connections at once.
    NetServer.prototype.close.call(app.server)
  }
  return Object.assign(app, { routes, streams, drain })
}

function hostedHeaders({ headers }: FastifyRequest) {
  return headers.origin === undefined ? HOSTED_HEADERS : HOSTED_HEADERS_FOR_PAGES
}

/** The path of the route, whatever spelling the client used; the path as sent when no route matches. */
function servedPath(request: FastifyRequest): string {
  return request.routeOptions.url ?? request.url
}
