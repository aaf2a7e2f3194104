import { AppError, hasAllPermissionsOf, isAllowed } from '@countersign/core'
import type { FastifyRequest } from 'fastify'
import type { HostedCaller } from '../../hosted/hosted-caller.ts'
import { SCIM_OFF } from '../../operations/scim/get-scim-signer.ts'
import { isUnchanged, type LiveSession } from '../../session/live-sessions.ts'
import { isHostedAccess } from '../../store/operation-access.ts'
import { authenticateSession, readSessionCredential } from './authenticate-session.ts'
import { authorizationTokens, bearerTokens } from './bearer-tokens.ts'
import type { Caller } from './call.ts'
import { missingFactors, noCredential, noSession, refusedBearer, unknownScimToken } from './challenge.ts'
import { checkSessionProof } from './check-session-proof.ts'
import { clientFingerprint } from './client-certificate.ts'
import { countAttempt } from './count-attempt.ts'
import type { PipelineParts } from './exchange.ts'
import { requestSource } from './request-source.ts'
import type { HostedRequirement, Route } from './route.ts'

type CallerParts = Pick<
  PipelineParts,
  | 'sessions'
  | 'bearerSessions'
  | 'secondFactor'
  | 'noteSessionUse'
  | 'hostedCallers'
  | 'scimCallers'
  | 'heldTokens'
  | 'proofs'
  | 'limits'
  | 'beforeRequest'
>

/**
 * Finds the caller of a request that is not anonymous. Throws the challenge that names the missing credential. With `isRecheck` the lookup
 * does not count as a use of the session.
 */
export async function authenticateCaller(
  { access }: Route,
  request: FastifyRequest,
  parts: CallerParts,
  { isRecheck = false } = {},
): Promise<Caller> {
  if (isHostedAccess(access)) return authenticateHosted(request, parts, access)
  if (access === 'scim') return authenticateScim(request, parts, isRecheck)
  const { sessions, noteSessionUse, heldTokens } = parts
  const credential = readSessionCredential(request)
  if (credential.token === '') return authenticateBearer(request, parts, isRecheck)
  const caller = await authenticateSession(credential, sessions, () => parts.proofs.of(request), isRecheck)
  if (!isRecheck) noteSessionUse(caller.session, request.ip, request.headers['user-agent'])
  const bearers = caller.isCookie
    ? heldTokens.of(caller.session.id, request.headers)
    : bearerTokens(request.raw.rawHeaders)
  return { ...caller, bearers }
}

/** Finds the session that an access token of the OpenID provider names. */
async function authenticateBearer(request: FastifyRequest, parts: CallerParts, isRecheck: boolean): Promise<Caller> {
  const { headers, raw, ip } = request
  if (headers.authorization === undefined) throw noCredential()
  const bearers = bearerTokens(raw.rawHeaders)
  const fingerprint = () => clientFingerprint(raw.socket)
  const checkProof = (session: LiveSession, token: string) =>
    checkSessionProof(session, token, parts.proofs.of(request))
  const found = await parts.bearerSessions?.find({ bearers, fingerprint, checkProof, isUse: !isRecheck })
  if (found === undefined || found === 'none') throw noSession()
  if (typeof found === 'string') throw refusedBearer(found)
  const { session, token, claims: accessToken, bearers: others } = found
  if (!isRecheck) parts.noteSessionUse(session, ip, headers['user-agent'])
  return { session, token, accessToken, bearers: others }
}

async function authenticateScim(
  request: FastifyRequest,
  { scimCallers, limits }: CallerParts,
  isRecheck: boolean,
): Promise<Caller> {
  const { signerId = '' } = request.params as { signerId?: string }
  const [token, ...others] = authorizationTokens(request.raw.rawHeaders, 'bearer')
  const sent = { id: request.id, signerId, clientAddress: request.ip, source: requestSource(request) }
  // Only authentication failures count against the limit of the address.
  const scim = await countAttempt(limits, request.ip, async () => {
    const found = await scimCallers.find(others.length > 0 ? undefined : token, sent, { isRecheck })
    if (found === 'channel-off') throw new AppError('FORBIDDEN', { message: SCIM_OFF })
    if (found === 'token-unknown') throw unknownScimToken()
    return found
  })
  return { session: undefined, scim }
}

const NO_TOKENS: readonly string[] = []

async function authenticateHosted(
  request: FastifyRequest,
  { hostedCallers, heldTokens, limits, proofs }: CallerParts,
  { hosted: access }: HostedRequirement,
): Promise<Caller> {
  const { token: sessionToken, isCookie } = readSessionCredential(request)
  const credentials = {
    bearers: bearerTokens(request.raw.rawHeaders),
    sessionToken,
    secondTokens: (id: string) => (isCookie ? heldTokens.of(id, request.headers) : NO_TOKENS),
    proofs: proofs.of(request),
    checkProof: (session: LiveSession) => checkSessionProof(session, sessionToken, proofs.of(request)),
    address: request.ip,
    method: request.method,
    requestId: request.id,
    remoteAddr: () => requestSource(request).remoteAddr,
  }
  // Only authentication failures count against the limit.
  const hosted = await countAttempt(limits, request.ip, () => hostedCallers.find(credentials, access))
  return { session: hosted.session, hosted }
}

/**
 * Checks that the caller's session is complete and that it holds the permission. Throws the refusal. Returns the caller, with the signer of its
 * second token.
 */
export async function authorizeCaller(
  { access }: Route,
  caller: Caller,
  request: FastifyRequest,
  { secondFactor, sessions, proofs }: Pick<CallerParts, 'secondFactor' | 'sessions' | 'proofs'>,
): Promise<Caller> {
  const { session, bearers = NO_TOKENS } = caller
  if (access === 'partial-session' || isHostedAccess(access) || !session) return caller
  const { missing, signer } = await secondFactor.check(session, bearers, {
    method: request.method,
    address: request.ip,
    proofs: proofs.of(request),
  })
  if (missing.length > 0) throw missingFactors(missing)
  if (typeof access === 'object' && !isAllowed(session.identity, access)) throw new AppError('UNAUTHORIZED')
  if (!signer) return caller
  sessions.noteSecondToken(session)
  return { ...caller, secondSigner: signer }
}

/** Authenticates and authorizes the caller of a long request or response again, by the current state. Throws the refusal. */
export async function reauthorizeCaller(route: Route, request: FastifyRequest, parts: CallerParts): Promise<Caller> {
  if (route.access === 'anonymous') return { session: undefined }
  parts.beforeRequest?.()
  const caller = await authenticateCaller(route, request, parts, { isRecheck: true })
  const authorized = await authorizeCaller(route, caller, request, parts)
  if (!caller.session || caller.hosted) return authorized
  // The rule of its policy may have waited for its turn.
  const { session } = await authenticateCaller(route, request, parts, { isRecheck: true })
  return isUnchanged(caller.session, session) ? authorized : reauthorizeCaller(route, request, parts)
}

/**
 * Authorizes the caller again. Throws also when it has lost a right since `earlier`, or is another one: what a response shows depends on the rights
 * of its caller, and those that it began with are used to its end.
 */
export async function recheckRights(
  route: Route,
  request: FastifyRequest,
  parts: CallerParts,
  earlier: Caller | undefined,
): Promise<Caller> {
  const current = await reauthorizeCaller(route, request, parts)
  if (current.session && earlier?.session) {
    const keepsRights = hasAllPermissionsOf(current.session.identity, earlier.session.identity)
    if (!keepsRights) throw new AppError('UNAUTHORIZED')
  }
  if (!isSameHosted(current.hosted, earlier?.hosted)) throw new AppError('UNAUTHORIZED')
  return current
}

/** A client that was moved to another account is another caller, with the same token. */
function isSameHosted(current: HostedCaller | undefined, earlier: HostedCaller | undefined): boolean {
  return current?.identityId === earlier?.identityId && current?.organizationId === earlier?.organizationId
}
