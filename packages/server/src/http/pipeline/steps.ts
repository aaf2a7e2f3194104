import { nearMissText } from '@countersign/core'
import { organizationChanges } from '../../limits/charge-recorded-states.ts'
import { limitOwnChange } from '../../limits/limit-own-change.ts'
import { isHostedAccess } from '../../store/operation-access.ts'
import { authenticateCaller, authorizeCaller, reauthorizeCaller, recheckRights } from './authorize-caller.ts'
import { Call } from './call.ts'
import { countFailure } from './count-attempt.ts'
import type { Exchange } from './exchange.ts'
import { checkAcceptsJson, checkDeclaredLength, checkParams } from './limits.ts'
import { parseQuery as readQuery } from './query.ts'
import { hasBody, readBytes } from './read-bytes.ts'
import { readJsonBody } from './read-json-body.ts'
import type { RouteResponse } from './route.ts'

/** Throws the refusal. Returns a promise only when it has to wait. */
type Step = (exchange: Exchange) => Promise<void> | undefined

/** Every request passes these steps in this order; the first refusal ends it. */
const STEPS: readonly Step[] = [
  limitAttempts,
  checkLength,
  authenticate,
  authorize,
  limitChanges,
  readBody,
  reauthorizeLateBody,
  checkAccept,
  checkPath,
  parseQuery,
  parseBody,
  handle,
  reauthorizeLateRead,
  warnOfNearMisses,
]

/** Who was authorized longer ago is authorized again: before a handler that waited for the body, and before the response of a slow read. */
const AUTHORIZED_FOR_MS = 250

/** Runs a request through the steps. Throws the refusal, after counting it against the client's address if the route counts. */
export async function serve(exchange: Exchange): Promise<RouteResponse> {
  const { parts, request } = exchange
  try {
    for (const step of STEPS) {
      const waiting = step(exchange)
      // Awaiting undefined would cost a turn of the microtask queue for each step.
      if (waiting) await waiting
    }
    const response = exchange.response ?? { status: 204 }
    if (exchange.isCounted && response.isRefusal) await parts.limits.delayRefusal(request.ip)
    else exchange.attempt.giveBack()
    return response
  } catch (error) {
    if (exchange.isCounted) await countFailure(parts.limits, request.ip, exchange.attempt, error)
    throw error
  }
}

function limitAttempts(exchange: Exchange): undefined {
  const { route, request, parts } = exchange
  if (exchange.isCounted) exchange.attempt = parts.limits.address.begin(request.ip)
  if (route.rate === 'query' && request.url.includes('?')) parts.limits.query.begin(request.ip)
}

function checkLength({ request, maxBytes }: Exchange): undefined {
  checkDeclaredLength(request.headers, maxBytes)
}

function authenticate(exchange: Exchange): Promise<void> | undefined {
  const { route, request, reply, parts } = exchange
  if (route.access === 'anonymous') return undefined
  reply.header('cache-control', 'no-store')
  exchange.authorizedAt = performance.now()
  const finding = authenticateCaller(route, request, parts).then((caller) => {
    exchange.caller = caller
  })
  return withinTimeOrRefuse(exchange, finding)
}

function authorize(exchange: Exchange): Promise<void> | undefined {
  const { route, request, caller, parts } = exchange
  if (!caller) return undefined
  const deciding = authorizeCaller(route, caller, request, parts).then((withSigner) => {
    exchange.caller = withSigner
  })
  return withinTimeOrRefuse(exchange, deciding)
}

/** The audit record keeps every change for a year, and callers with few rights must not fill the disk with them. */
function limitChanges(exchange: Exchange): undefined {
  const { route, caller, parts } = exchange
  const { limits } = parts
  if (!caller || route.method === 'GET' || route.onlyReads) return undefined
  const { session, hosted } = caller
  if (hosted?.account && isHostedAccess(route.access)) {
    // By access: an account with a lesser role must not use up the changes by which an administrator removes it.
    const { hosted: needed } = route.access
    if (needed !== 'read') limits.change.begin(organizationChanges(hosted.organizationId, needed))
  } else if (typeof route.access === 'object' && session && !session.identity.isAdmin) {
    limits.change.begin(session.identity.id)
  }
  return undefined
}

async function withinTimeOrRefuse(exchange: Exchange, deciding: Promise<void>): Promise<void> {
  try {
    await exchange.parts.withinTime(deciding)
  } catch (refusal) {
    await refuse(exchange, refusal)
  }
}

/** Discards the body, then throws the refusal. A body that is too long is a 413 for every caller. */
async function refuse({ request, maxBytes, awaitsContinue }: Exchange, refusal: unknown): Promise<never> {
  if (!awaitsContinue) await readBytes(request.raw, { maxBytes, keep: false })
  throw refusal
}

function readBody(exchange: Exchange): Promise<void> | undefined {
  const { request, reply, maxBytes } = exchange
  if (exchange.awaitsContinue) reply.raw.writeContinue()
  else if (!hasBody(request.raw)) return undefined
  return readBytes(request.raw, { maxBytes, keep: true }).then((bytes) => {
    exchange.bytes = bytes
  })
}

function reauthorizeLateBody(exchange: Exchange): Promise<void> | undefined {
  if (!isLate(exchange)) return undefined
  const { route, request, parts } = exchange
  exchange.authorizedAt = performance.now()
  return parts.withinTime(reauthorizeCaller(route, request, parts)).then((caller) => {
    exchange.caller = caller
  })
}

/** Not after a write, which has authorized its actor in its own transaction and is committed. */
function reauthorizeLateRead(exchange: Exchange): Promise<void> | undefined {
  const { route, response } = exchange
  const isRead = route.method === 'GET' || route.onlyReads
  if (!isRead || !isLate(exchange)) return undefined
  exchange.authorizedAt = performance.now()
  return recheckCaller(exchange).catch((refusal: unknown) => {
    if (response) discard(response)
    throw refusal
  })
}

function isLate({ caller, authorizedAt }: Exchange): boolean {
  return caller !== undefined && performance.now() - authorizedAt > AUTHORIZED_FOR_MS
}

async function recheckCaller({ route, request, parts, caller }: Exchange): Promise<void> {
  await parts.withinTime(recheckRights(route, request, parts, caller))
}

function checkAccept({ route, request }: Exchange): undefined {
  if (!route.produces) checkAcceptsJson(request.headers.accept, route.unacceptable)
}

function checkPath({ request }: Exchange): undefined {
  checkParams(request.params as Record<string, string>)
}

function parseQuery(exchange: Exchange): undefined {
  exchange.query = readQuery(exchange.request.url)
}

function parseBody(exchange: Exchange): undefined {
  const { members, nearMisses } = readJsonBody(exchange.route, exchange.bytes, exchange.request.headers)
  exchange.body = members
  exchange.nearMisses = nearMisses
}

/** Code 299 of the header `Warning` is for any other persistent warning (RFC 7234 section 5.5). */
function warnOfNearMisses(exchange: Exchange): undefined {
  const { nearMisses, response } = exchange
  if (nearMisses.length === 0 || !response) return
  const warning = nearMisses.map((miss) => `299 - "${nearMissText(miss)}"`).join(', ')
  exchange.response = { ...response, headers: { ...response.headers, warning } }
}

async function handle(exchange: Exchange): Promise<void> {
  const { parts } = exchange
  const response = respond(exchange)
  try {
    exchange.response = await parts.withinTime(response)
  } catch (error) {
    response.then(discard, () => {})
    throw error
  }
}

function respond(exchange: Exchange): Promise<RouteResponse> {
  const { route, caller, parts } = exchange
  const run = () => Promise.resolve(route.handle(new Call(exchange, () => recheckCaller(exchange))))
  if (!route.changesOwn || !caller?.session) return run()
  const { id: sessionId, identity } = caller.session
  return limitOwnChange(
    parts.limits,
    { identityId: identity.id, sessionId, kind: `${route.method} ${route.paths[0]}` },
    run,
  )
}

/** Ends the streams of a response that came after the time limit. */
function discard({ eventStream, stream }: RouteResponse): void {
  eventStream?.close?.()
  stream?.destroy()
}
