import { randomUUID } from 'node:crypto'
import { METHODS } from 'node:http'
import type { ServerOptions } from 'node:https'
import { Server as NetServer } from 'node:net'
import { AppError, newId } from '@countersign/core'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Settings } from '../../platform/settings/index.ts'
import { PRODUCT_VERSION } from '../../platform/version.ts'
import { admitAgain } from './admit.ts'
import { createCors } from './cors.ts'
import { errorAnswer } from './errors.ts'
import { createEventStreams } from './event-streams.ts'
import { Exchange, type PipelineParts } from './exchange.ts'
import { dropForwardedPorts } from './forwarded-for.ts'
import { isHostedPath } from './hosted-errors.ts'
import { rewriteLegacyPath } from './legacy-paths.ts'
import { checkHeaders } from './limits.ts'
import { guardListener, listenerOptions } from './listener.ts'
import { hasUnreadBody } from './read-bytes.ts'
import { type Answer, ROUTE_METHODS, type Route } from './route.ts'
import { sendAnswer, sendError } from './send-answer.ts'
import { serve } from './steps.ts'
import { createTimeLimit } from './time-limit.ts'
import { createUnreadableRequests } from './unreadable-request.ts'
import { whileAdmitted } from './while-admitted.ts'

export interface HttpServerOptions extends Omit<PipelineParts, 'http' | 'withinTime' | 'awaitsContinue'> {
  readonly routes: readonly Route[]
  readonly settings: Settings
  readonly tls: ServerOptions
  readonly log: Logger
  /** Called before anything is decided about a request. */
  readonly beforeRequest?: (() => void) | undefined
  /** What the node calls itself; a random one unless given. */
  readonly instanceId?: string | undefined
  /** How long a handler may take before its caller is told to come again. */
  readonly handlerMs?: number
}

/** Existing clients cache by address alone: without this one account would be shown another's data. */
const HOSTED_HEADERS = { vary: 'Authorization', 'cache-control': 'no-store' }
const HOSTED_HEADERS_FOR_PAGES = { ...HOSTED_HEADERS, vary: 'Authorization, Origin' }
const HANDLER_MS = 10_000
const MAX_ID_LENGTH = 512
const MAX_SHOWN_PATH = 256
/** A connection on which no byte moves for so long, in either direction, is given up. */
const STALLED_MS = 100_000
/** The verbs whose answer depends on the path; OPTIONS is answered alike everywhere, and the others nowhere. */
const VERBS: readonly string[] = ['HEAD', ...ROUTE_METHODS]

export type HttpServer = ReturnType<typeof createHttpServer>

const refuseSchema = () => {
  throw new TypeError('bodies are checked by the pipeline, not by schemas of the framework')
}
/** Loaded unless others are given; together they are a hundred modules that nothing here needs. */
const NO_SCHEMA_COMPILERS = { buildValidator: refuseSchema, buildSerializer: refuseSchema }

/** The pipeline reads the query itself, when it is to be read. */
const parseNoQuery = () => ({})

/** The HTTPS server: a table of routes behind one pipeline of limits, authentication, permission and validation. */
export function createHttpServer(options: HttpServerOptions) {
  const { routes, settings, tls, log, beforeRequest, instanceId = randomUUID(), handlerMs = HANDLER_MS } = options
  const { http } = settings
  const cors = createCors(settings.cors.allowedOrigins)
  const ownHeaders = {
    server: `countersign/${PRODUCT_VERSION}`,
    'ziti-instance-id': instanceId,
    'x-content-type-options': 'nosniff',
  }
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
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: MAX_ID_LENGTH,
      querystringParser: parseNoQuery,
    },
  })
  const awaitsContinue = guardListener(app.server, http, unreadable)

  function prepareReply(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(ownHeaders)
    const { origin, upgrade } = request.headers
    if (origin !== undefined) reply.headers(cors.headersFor(origin))
    // No other protocol is spoken here, and nothing is read behind the request that asks for one.
    if (upgrade !== undefined || isDraining) reply.header('connection', 'close')
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const path = servedPath(request)
    if (isHostedPath(path)) reply.headers(hostedHeaders(request))
    sendError(errorAnswer(error, { id: request.id, url: path }, log), reply)
  }

  /** Nobody catches what is thrown here: it would end the process. */
  function refuseOrCut(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    try {
      refuse(error, request, reply)
    } catch {
      // What was wrong is in the log; the beginning of another answer is on its way already.
      reply.raw.destroy()
    }
  }

  function refuseVerb(request: FastifyRequest, reply: FastifyReply, offered: readonly string[]): void {
    reply.header('allow', offered.join(', '))
    const message = `method ${request.method} is not allowed, but [${offered.join(',')}] are`
    refuse(new AppError('METHOD_NOT_ALLOWED', { message }), request, reply)
  }

  // The pipeline reads bodies itself, when it knows whose they are.
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
    if (!VERBS.includes(request.method)) return refuseVerb(request, reply, ROUTE_METHODS)
    const path = request.url.split('?', 1)[0] ?? ''
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
  app.addHook('preClose', async () => streams.stop())
  const answerCall = (answer: Answer, route: Route, request: FastifyRequest, reply: FastifyReply): void => {
    const { eventStream, stream } = answer
    const readmit = () => admitAgain(route, request, pipeline)
    if (eventStream) {
      streams.open(eventStream, reply, readmit)
      return
    }
    if (stream && route.access !== 'anonymous') {
      const onRefused = () => stream.destroy(new Error('its caller may not read it any more'))
      stream.once('close', whileAdmitted({ readmit, onRefused }))
    }
    sendAnswer(answer, reply, log)
  }

  const pipeline: PipelineParts = { ...options, http, withinTime: createTimeLimit(handlerMs), awaitsContinue }
  for (const [url, rows] of Map.groupBy(routes.flatMap(byPath), ({ path }) => path)) {
    const isHosted = isHostedPath(url)
    for (const { route } of rows) {
      const handler = (request: FastifyRequest, reply: FastifyReply): void => {
        if (isHosted) reply.headers(hostedHeaders(request))
        const onError = (error: unknown) => refuseOrCut(error, request, reply)
        const onAnswer = (answer: Answer): void => {
          try {
            answerCall(answer, route, request, reply)
          } catch (error) {
            onError(error)
          }
        }
        // No promise for the framework, which would go on to wait for the end of the answer.
        serve(new Exchange(route, request, reply, pipeline)).then(onAnswer, onError)
      }
      app.route({ method: route.method, url, handler })
    }
    const offered = rows.map(({ route }) => route.method)
    app.route({
      method: VERBS.filter((verb) => !(offered as string[]).includes(verb)),
      url,
      handler: (request, reply) => refuseVerb(request, reply, offered),
    })
  }
  /** No new connections, and each one there is ends with its next answer, so that nobody who is about to call is cut off. */
  const drain = (): void => {
    isDraining = true
    streams.stop()
    // Not the method of HTTP servers, which closes idle connections at once.
    NetServer.prototype.close.call(app.server)
  }
  return Object.assign(app, { routes, streams, drain })
}

function hostedHeaders({ headers }: FastifyRequest) {
  return headers.origin === undefined ? HOSTED_HEADERS : HOSTED_HEADERS_FOR_PAGES
}

/** The path of the route, which does not tell how the caller has spelled it; what he sent where there is no route. */
function servedPath(request: FastifyRequest): string {
  return request.routeOptions.url ?? request.url
}

function byPath(route: Route): { path: string; route: Route }[] {
  return route.paths.map((path) => ({ path, route }))
}
