import { AppError, findCookie, newSecret } from '@countersign/core'
import { FLOW_SECONDS, type LoginFlow } from '../../login/console/login-flows.ts'
import { LoginProblem } from '../../login/console/login-problem.ts'
import { authorizationUrl, type LoginProvider } from '../../login/console/login-provider.ts'
import { createNoteLoginProblem } from '../../login/console/note-login-problem.ts'
import type { DirectorySigner } from '../../token/signer-directory.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import type { Query } from '../pipeline/query.ts'
import type { Answer, Route } from '../pipeline/route.ts'
import { buildCookie, clearCookie, isOwnPage, ownOrigin, SESSION_COOKIE } from '../pipeline/session-cookie.ts'
import { createSignInCall } from '../shared/sign-in-call.ts'
import { CONSOLE_HOME, consolePath } from './console-path.ts'

/** Binds a sign-in to the browser that began it. It has to come back with a redirect of the provider, so it cannot be Strict. */
const LOGIN_COOKIE = '__Host-countersign-login'
const CALLBACK = '/console/callback'

/** One of the two requests of a sign-in. It notes where in the console it goes on as soon as that is known, also for another try. */
type Step = (call: Call, way: { next: string }) => Promise<Answer>

/**
 * Signing in to the console at a provider: authorization code with PKCE, none of which a script sees, and in the end the same door as for every
 * other token. For a session that lacks a provider's token as second factor, the token is held for it.
 */
export function consoleLoginRoutes(context: ControllerContext): Route[] {
  const { signers, sessions, secondFactor, heldTokens, loginFlows, loginProviders } = context
  const noteProblem = createNoteLoginProblem(context)
  const signIn = createSignInCall(context)

  const getSigner = async (id: string): Promise<DirectorySigner> => {
    const signer = (await signers.enabled()).findById(id)
    if (!signer) throw new LoginProblem('signer', 'no enabled signer has this id')
    return signer
  }

  /** The caller's session, when a token of this signer is what it lacks. */
  const findLacking = async ({ untrustedHead }: Call, signerId: string): Promise<string | undefined> => {
    const { cookie = '' } = untrustedHead.headers
    const token = isOwnPage(untrustedHead) ? findCookie(cookie, SESSION_COOKIE) : undefined
    const session = token === undefined ? undefined : await sessions.look(token)
    return session?.policy.secondary.requireExtJwtSigner === signerId ? token : undefined
  }

  const begin: Step = async (call, way) => {
    way.next = consolePath(call.query.get('next'))
    const { stored } = await getSigner(call.params.signerId ?? '')
    const origin = ownOrigin(call.untrustedHead.host)
    if (origin === undefined) throw new AppError('BAD_REQUEST', { message: 'the Host header names no host' })
    const provider = await loginProviders.find(stored)
    const flow: LoginFlow = {
      signerId: stored.id,
      revision: stored.revision,
      nonce: newSecret(),
      verifier: newSecret(),
      redirectUri: `${origin}${CALLBACK}`,
      next: way.next,
      sessionToken: await findLacking(call, stored.id),
    }
    const { state, cookie } = loginFlows.begin(flow)
    return goTo(authorizationUrl(provider, { ...flow, state, scopes: stored.scopes ?? [] }), [
      buildCookie(LOGIN_COOKIE, cookie, { sameSite: 'Lax', maxAgeSeconds: FLOW_SECONDS }),
    ])
  }

  /** The cookies that hold the token for the session. */
  const complete = async (sessionToken: string, token: string): Promise<readonly string[]> => {
    const session = await sessions.look(sessionToken)
    if (!session) throw new LoginProblem('expired', 'the session has ended meanwhile')
    const missing = await secondFactor.findMissing(session, [token])
    if (missing.some(({ kind }) => kind === 'ext-jwt')) {
      throw new LoginProblem('refused', 'the token is not one that this session lacks')
    }
    const held = heldTokens.hold(session.id, token)
    if (held === undefined) throw new LoginProblem('provider', 'the token is too long for cookies')
    return held.map(([name, value]) => (value === '' ? clearCookie(name) : buildCookie(name, value)))
  }

  const finish: Step = async (call, way) => {
    const { query, untrustedHead } = call
    const cookie = findCookie(untrustedHead.headers.cookie ?? '', LOGIN_COOKIE)
    const flow = loginFlows.take(query.get('state') ?? '', cookie)
    if (!flow) throw new LoginProblem('expired', 'no sign-in of this browser has this state')
    const { signerId, revision, sessionToken, next } = flow
    way.next = next
    const { stored } = await getSigner(signerId)
    if (stored.revision !== revision) throw new LoginProblem('expired', 'the signer was changed meanwhile')
    const provider = await loginProviders.find(stored)
    const code = readCode(query, provider)
    const token = await loginProviders.redeem(stored, provider, { ...flow, code })
    if (sessionToken !== undefined) {
      return goTo(next, [...(await complete(sessionToken, token)), clearCookie(LOGIN_COOKIE)])
    }
    const { requestId, clientAddress, remoteAddr } = call
    const presented = { requestId, clientAddress, remoteAddr, untrustedBearers: [token], body: {} }
    const signedIn = await signIn('ext-jwt', { ...presented, clientCertificate: () => undefined })
    return goTo(next, [buildCookie(SESSION_COOKIE, signedIn.token), clearCookie(LOGIN_COOKIE)])
  }

  /**
   * Whatever goes wrong for a reason that the person can do something about is told by the console itself. All of it counts, also what a
   * provider has refused: the code may have been made up.
   */
  const orTell =
    (step: Step) =>
    async (call: Call): Promise<Answer> => {
      const way = { next: CONSOLE_HOME }
      try {
        return await step(call, way)
      } catch (error) {
        const problem = findProblem(error)
        if (problem === undefined) throw error
        const { requestId } = call
        noteProblem(requestId, problem)
        const onward = way.next === CONSOLE_HOME ? {} : { next: way.next }
        const told = new URLSearchParams({ error: requestId, why: problem.reason, ...onward })
        return { ...goTo(`${CONSOLE_HOME}?${told}`, [clearCookie(LOGIN_COOKIE)]), isRefusal: true }
      }
    }

  const row = (path: string, step: Step): Route => ({
    method: 'GET',
    paths: [path],
    access: 'anonymous',
    rate: 'sign-in',
    bodyCap: 'anonymous',
    body: null,
    produces: PLAIN,
    handle: orTell(step),
  })
  return [row('/console/login/:signerId', begin), row(CALLBACK, finish)]
}

/** The code of a provider's answer, when it is the provider that was asked (RFC 9207) and it did not say no. */
function readCode(query: Query, { issuer, namesItself }: LoginProvider): string {
  const given = query.get('iss')
  if (given === undefined ? namesItself : given !== issuer) {
    throw new LoginProblem('provider', 'the answer is of another issuer than the one that was asked')
  }
  const error = query.get('error')
  if (error !== undefined) {
    const isDenied = error === 'access_denied'
    throw new LoginProblem(isDenied ? 'denied' : 'provider', 'the provider answered with an error')
  }
  const code = query.get('code')
  if (!code) throw new LoginProblem('provider', 'the answer holds no code')
  return code
}

function findProblem(error: unknown): LoginProblem | undefined {
  if (error instanceof LoginProblem) return error
  return error instanceof AppError && REFUSALS.has(error.code) ? new LoginProblem('refused', error.message) : undefined
}

const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'INVALID_AUTH'])
const PLAIN = 'text/plain; charset=utf-8'

/** The address that is left may hold a code: no page is told it. */
function goTo(location: string, cookies: readonly string[]): Answer {
  return {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    cookies,
    bytes: { content: Buffer.alloc(0), type: PLAIN },
  }
}
