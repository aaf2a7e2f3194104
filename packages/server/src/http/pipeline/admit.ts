import { AppError, isAllowed } from '@countersign/core'
import type { FastifyRequest } from 'fastify'
import type { MissingFactor } from '../../login/second-factor.ts'
import { isHostedAccess } from '../../store/operation-access.ts'
import { authenticateCall, presentedSession } from './authenticate-call.ts'
import { bearerTokens } from './bearer-tokens.ts'
import type { Admitted } from './call.ts'
import { missingFactors } from './challenge.ts'
import { countAttempt } from './count-attempt.ts'
import type { PipelineParts } from './exchange.ts'
import { requestSource } from './request-source.ts'
import type { HostedRequirement, Route } from './route.ts'

type AdmitParts = Pick<
  PipelineParts,
  'sessions' | 'secondFactor' | 'noteUse' | 'hostedCallers' | 'heldTokens' | 'limits'
>

/**
 * Finds the caller of a request that is not anonymous. Throws the challenge that says what is missing. `isAgain` is for a caller that stays
 * connected: looking again does not count as using the session.
 */
export async function findCaller(
  { access }: Route,
  request: FastifyRequest,
  parts: AdmitParts,
  { isAgain = false } = {},
): Promise<Admitted> {
  if (isHostedAccess(access)) return findHosted(request, parts, access)
  const { sessions, noteUse, heldTokens } = parts
  const caller = await authenticateCall(request, isAgain ? { find: (token) => sessions.look(token) } : sessions)
  if (!isAgain) noteUse(caller.session, request.ip, request.headers['user-agent'])
  const bearers = caller.isCookie
    ? heldTokens.of(caller.session.id, request.headers)
    : bearerTokens(request.raw.rawHeaders)
  return { ...caller, bearers }
}

const NO_TOKENS: readonly string[] = []

async function findHosted(
  request: FastifyRequest,
  { hostedCallers, heldTokens, limits }: AdmitParts,
  { hosted: access }: HostedRequirement,
): Promise<Admitted> {
  const { token: sessionToken, isCookie } = presentedSession(request)
  const presented = {
    bearers: bearerTokens(request.raw.rawHeaders),
    sessionToken,
    secondTokens: (id: string) => (isCookie ? heldTokens.of(id, request.headers) : NO_TOKENS),
    address: request.ip,
    requestId: request.id,
    remoteAddr: () => requestSource(request).remoteAddr,
  }
  // Only authentication failures count against the limit.
  const hosted = await countAttempt(limits, request.ip, () => hostedCallers.find(presented, access))
  return { session: hosted.session, hosted }
}

/**
 * Whether the caller may call: its session is complete, and it holds the permission. Throws the refusal, or rejects with it; returns a promise
 * only when a second token has to be verified.
 */
export function authorizeCaller(
  { access }: Route,
  { session, bearers = NO_TOKENS }: Admitted,
  { secondFactor }: Pick<AdmitParts, 'secondFactor'>,
): Promise<void> | undefined {
  if (access === 'partial-session' || isHostedAccess(access) || !session) return undefined
  const decide = (missing: readonly MissingFactor[]): undefined => {
    if (missing.length > 0) throw missingFactors(missing)
    if (typeof access === 'object' && !isAllowed(session.identity, access)) throw new AppError('UNAUTHORIZED')
  }
  const missing = secondFactor.findMissing(session, bearers)
  return missing instanceof Promise ? missing.then(decide) : decide(missing)
}

/** Decides once more whether the caller of a long answer may read it, by what is true now. Throws the refusal. */
export async function admitAgain(route: Route, request: FastifyRequest, parts: AdmitParts): Promise<void> {
  if (route.access === 'anonymous') return
  await authorizeCaller(route, await findCaller(route, request, parts, { isAgain: true }), parts)
}
