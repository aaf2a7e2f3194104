import { AppError, findCookie } from '@countersign/core'
import type { Logger } from 'pino'
import { CALLBACK, ConsoleLogin, type ConsoleLoginParts, callbackPath } from '../../login/console/console-login.ts'
import { ConsoleLoginError } from '../../login/console/console-login-error.ts'
import { createLogConsoleLoginError } from '../../login/console/log-console-login-error.ts'
import { FLOW_SECONDS, type LoginFlow } from '../../login/console/login-flows.ts'
import type { Call } from '../pipeline/call.ts'
import { StepUpError } from '../pipeline/challenge.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import {
  buildCookie,
  checkOwnPage,
  clearCookie,
  isNavigation,
  isOwnPage,
  ownOrigin,
  SESSION_COOKIE,
} from '../pipeline/session-cookie.ts'
import { createLogInCall, type LoggedIn, type LogInCallParts } from '../shared/log-in-call.ts'
import { type BrowserSessionParts, BrowserSessions } from './browser-sessions.ts'
import { CONSOLE_HOME, consolePath } from './console-path.ts'

interface ConsoleLoginRouteParts extends ConsoleLoginParts, LogInCallParts, BrowserSessionParts {
  readonly log: Logger
}

/** Binds a login to the browser that began it. It must be sent with the provider's redirect, so it cannot be Strict. */
const LOGIN_COOKIE = '__Host-countersign-login'

/** One of the two requests of a login. It sets `target.next` as soon as that is known, so that a failed login can be repeated. */
type Step = (call: Call, target: { next: string }) => Promise<RouteResponse>

/**
 * Login to the console at an identity provider. No script sees the code or the token, and the token is checked as in every other token login.
 * For a session that lacks a token as second factor, the token is held in cookies.
 */
export function consoleLoginRoutes(parts: ConsoleLoginRouteParts): Route[] {
  const logLoginError = createLogConsoleLoginError(parts)
  const login = new ConsoleLogin(parts)
  const logIn = createLogInCall(parts)
  const browser = new BrowserSessions(parts)

  const begin: Step = async (call, target) => {
    target.next = consolePath(call.query.get('next'))
    // Another site could otherwise exchange the visitor's session for one of its choice.
    if (!isOwnPage(call.untrustedHead)) {
      if (!isNavigation(call.untrustedHead)) checkOwnPage(call.untrustedHead)
      if (await browser.hasLive(call)) return goTo(target.next, [])
    }
    const signer = await login.getSigner(call.params.signerId ?? '')
    const origin = ownOrigin(call.untrustedHead.host)
    if (origin === undefined) throw new AppError('BAD_REQUEST', { message: 'the Host header is not a valid host' })
    const sessionToken = sessionTokenOf(call)
    return goToProvider(await login.begin(signer, { origin, next: target.next, sessionToken }))
  }

  /** Repeats a login that was too weak or too old, once, with what the policy requires (RFC 9470 section 5). */
  const stepUp = async ({ signerId, redirectUri, next, replaces }: LoginFlow, { parameters }: StepUpError) => {
    const signer = await login.getSigner(signerId)
    const { origin } = new URL(redirectUri)
    return goToProvider(await login.begin(signer, { origin, next, sessionToken: replaces, stepUp: parameters }))
  }

  const finish: Step = async (call, target) => {
    const { query, untrustedHead } = call
    const cookie = findCookie(untrustedHead.headers.cookie ?? '', LOGIN_COOKIE)
    const path = callbackPath(call.params.signerId)
    const flow = login.take(query.get('state') ?? '', { cookie, path })
    const { sessionToken, replaces, next } = flow
    target.next = next
    const callback = { iss: query.get('iss'), error: query.get('error'), code: query.get('code') }
    const token = await login.redeem(flow, callback, call.clientAddress)
    if (sessionToken !== undefined) {
      const held = await login.hold(sessionToken, token, call.tokenContext)
      const cookies = held.map(([name, value]) => (value === '' ? clearCookie(name) : buildCookie(name, value)))
      return goTo(next, [...cookies, clearCookie(LOGIN_COOKIE)])
    }
    const { requestId, clientAddress, remoteAddr, tokenContext, untrustedUserAgent } = call
    const credential = { untrustedUserAgent, untrustedBearers: [token], body: {}, clientCertificate: () => undefined }
    let loggedIn: LoggedIn
    try {
      loggedIn = await logIn('ext-jwt', { requestId, clientAddress, remoteAddr, tokenContext, ...credential })
    } catch (error) {
      if (error instanceof StepUpError && !flow.isStepUp) return stepUp(flow, error)
      throw error
    }
    return goTo(next, [...(await browser.replace(call, loggedIn.token, replaces)), clearCookie(LOGIN_COOKIE)])
  }

  /**
   * Redirects the browser back to the console with the reason. Counts as a refusal also when the provider has refused, because the code may be
   * forged.
   */
  const orShowError =
    (step: Step) =>
    async (call: Call): Promise<RouteResponse> => {
      const target = { next: CONSOLE_HOME }
      try {
        return await step(call, target)
      } catch (error) {
        const refusal = findRefusal(error)
        if (refusal === undefined) throw error
        const { requestId } = call
        logLoginError(requestId, refusal)
        const next = target.next === CONSOLE_HOME ? {} : { next: target.next }
        const shown = new URLSearchParams({ error: requestId, why: refusal.reason, ...next })
        return { ...goTo(`${CONSOLE_HOME}?${shown}`, [clearCookie(LOGIN_COOKIE)]), isRefusal: true }
      }
    }

  const row = (step: Step, ...paths: string[]): Route => ({
    method: 'GET',
    paths,
    access: 'anonymous',
    rate: 'attempt',
    bodyCap: 'anonymous',
    body: null,
    note: null,
    produces: PLAIN,
    handle: orShowError(step),
  })
  return [row(begin, '/console/login/:signerId'), row(finish, CALLBACK, `${CALLBACK}/:signerId`)]
}

/** The browser's session, when a page of the console makes the request. */
function sessionTokenOf({ untrustedHead }: Call): string | undefined {
  const { cookie = '' } = untrustedHead.headers
  return isOwnPage(untrustedHead) ? findCookie(cookie, SESSION_COOKIE) : undefined
}

function findRefusal(error: unknown): ConsoleLoginError | undefined {
  if (error instanceof ConsoleLoginError) return error
  return error instanceof AppError && REFUSALS.has(error.code)
    ? new ConsoleLoginError('refused', error.message)
    : undefined
}

const REFUSALS: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'INVALID_AUTH'])
const PLAIN = 'text/plain; charset=utf-8'

function goToProvider({ url, cookie }: { readonly url: string; readonly cookie: string }): RouteResponse {
  return goTo(url, [buildCookie(LOGIN_COOKIE, cookie, { sameSite: 'Lax', maxAgeSeconds: FLOW_SECONDS })])
}

/** No referrer: the URL of the redirecting request may contain a code. */
function goTo(location: string, cookies: readonly string[]): RouteResponse {
  return {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    cookies,
    bytes: { content: Buffer.alloc(0), type: PLAIN },
  }
}
