import type { IncomingMessage } from 'node:http'
import { AppError, isAllowed } from '@countersign/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FindHostedCaller } from '../../hosted/hosted-caller.ts'
import { type Attempt, UNCOUNTED } from '../../limits/attempt-limiter.ts'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import type { HeldTokens } from '../../login/console/held-tokens.ts'
import type { SecondFactor } from '../../login/second-factor.ts'
import type { Settings } from '../../platform/settings/index.ts'
import type { LiveSessions } from '../../session/live-sessions.ts'
import type { NoteUse } from '../../session/session-moves.ts'
import { authenticateCall, presentedSession } from './authenticate-call.ts'
import { bearerTokens } from './bearer-tokens.ts'
import { type Admitted, Call, type CallParts } from './call.ts'
import { missingFactors } from './challenge.ts'
import { countAttempt, countFailure } from './count-attempt.ts'
import { checkAcceptsJson, checkDeclaredLength, checkParams } from './limits.ts'
import { parseQuery } from './query.ts'
import { hasBody, readBytes } from './read-bytes.ts'
import { readJsonBody } from './read-json-body.ts'
import { requestSource } from './request-source.ts'
import type { Answer, HostedRequirement, Route } from './route.ts'
import type { TimeLimit } from './time-limit.ts'

export interface ServeOptions {
  readonly sessions: LiveSessions
  readonly secondFactor: SecondFactor
  readonly noteUse: NoteUse
  readonly heldTokens: Pick<HeldTokens, 'of'>
  readonly limits: Pick<AttemptLimits, 'address' | 'holdBack'>
  readonly findHostedCaller: FindHostedCaller
  readonly http: Pick<Settings['http'], 'maxBodyBytes' | 'maxManagementBodyBytes'>
  /** How long looking up the caller, and then the handler, may take. */
  readonly withinTime: TimeLimit
  /** Whether the client waits for a word before it sends the body. */
  awaitsContinue(request: IncomingMessage): boolean
}

/**
 * One call of a route, in this order: rate, body length, authentication, permission, body cap, Accept, query, content type, JSON,
 * schema, handler. Throws whatever refuses it.
 */
export async function serveCall(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServeOptions,
): Promise<Answer> {
  const { limits, withinTime } = options
  const isCounted = route.rate === 'sign-in'
  let attempt: Attempt = UNCOUNTED
  try {
    if (isCounted) attempt = limits.address.begin(request.ip)
    const reading = readCall(route, request, reply, options)
    const call = reading instanceof Promise ? await reading : reading
    const answer = await withinTime(route.handle(call))
    if (isCounted && answer.isRefusal) await limits.holdBack(request.ip)
    else attempt.giveBack()
    return answer
  } catch (error) {
    if (isCounted) await countFailure(limits, request.ip, attempt, error)
    throw error
  }
}

/** At once where there is nobody to look up and nothing to wait for. */
function readCall(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServeOptions,
): Call | Promise<Call> {
  const { headers, raw } = request
  const { maxBodyBytes, maxManagementBodyBytes } = options.http
  const maxBytes = route.bodyCap === 'anonymous' ? maxBodyBytes : maxManagementBodyBytes
  checkDeclaredLength(headers, maxBytes)
  const isAnonymous = route.access === 'anonymous'
  if (!isAnonymous) reply.header('cache-control', 'no-store')
  const awaitsContinue = options.awaitsContinue(raw)
  if (isAnonymous && !awaitsContinue && !hasBody(raw)) return new Call(request, undefined, readParts(route, request))
  return admitAndRead(route, request, reply, options, { maxBytes, awaitsContinue })
}

async function admitAndRead(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServeOptions,
  { maxBytes, awaitsContinue }: { maxBytes: number; awaitsContinue: boolean },
): Promise<Call> {
  const { raw } = request
  let caller: Admitted | undefined
  try {
    if (route.access !== 'anonymous') caller = await options.withinTime(admit(route, request, options))
  } catch (refusal) {
    // Too much is too much from everybody, so the body is counted; but nobody's body is kept who may not call.
    if (!awaitsContinue) await readBytes(raw, { maxBytes, keep: false })
    throw refusal
  }
  if (awaitsContinue) reply.raw.writeContinue()
  return new Call(request, caller, readParts(route, request, await readBytes(raw, { maxBytes, keep: true })))
}

function readParts(route: Route, request: FastifyRequest, bytes?: Buffer): CallParts {
  const { headers } = request
  if (!route.produces) checkAcceptsJson(headers.accept, route.unacceptable)
  checkParams(request.params as Record<string, string>)
  const query = parseQuery(request.url)
  const body = readJsonBody(route, bytes, headers)
  return { query, body, hasBody: bytes !== undefined && bytes.length > 0 }
}

/**
 * Whether the caller may call, decided anew by what is true now. Throws the refusal. One who stays connected is asked again and again,
 * which is no use of his session.
 */
export async function admit(
  route: Route,
  request: FastifyRequest,
  options: Pick<ServeOptions, 'sessions' | 'secondFactor' | 'noteUse' | 'findHostedCaller' | 'heldTokens' | 'limits'>,
  { isAgain = false } = {},
): Promise<Admitted | undefined> {
  const { access } = route
  const { sessions, secondFactor, noteUse, findHostedCaller, heldTokens, limits } = options
  if (access === 'anonymous') return undefined
  if (isHostedAccess(access)) {
    const { token: sessionToken, isCookie } = presentedSession(request)
    const bearers = bearerTokens(request.raw.rawHeaders)
    const remoteAddr = () => requestSource(request).remoteAddr
    const secondTokens = (id: string) => (isCookie ? heldTokens.of(id, request.headers) : NO_TOKENS)
    const presented = { bearers, sessionToken, secondTokens, address: request.ip, requestId: request.id, remoteAddr }
    // Only who is let in or not counts here: what a known caller asks for is his own affair.
    const hosted = await countAttempt(limits, request.ip, () => findHostedCaller(presented, access.hosted))
    return { session: hosted.session, hosted }
  }
  const caller = await authenticateCall(request, isAgain ? { find: sessions.look } : sessions)
  if (!isAgain) noteUse(caller.session, request.ip, request.headers['user-agent'])
  const bearers = caller.isCookie
    ? heldTokens.of(caller.session.id, request.headers)
    : bearerTokens(request.raw.rawHeaders)
  if (access === 'partial-session') return { ...caller, bearers }
  const missing = await secondFactor.findMissing(caller.session, bearers)
  if (missing.length > 0) throw missingFactors(missing)
  if (typeof access === 'object' && !isAllowed(caller.session.identity, access)) {
    throw new AppError('UNAUTHORIZED')
  }
  return { ...caller, bearers }
}

const NO_TOKENS: readonly string[] = []

function isHostedAccess(access: Route['access']): access is HostedRequirement {
  return typeof access === 'object' && 'hosted' in access
}
