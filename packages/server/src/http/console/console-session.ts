import { ConsolePasskeySession, ConsoleSession } from '@countersign/contract'
import type { SecondFactor } from '../../login/second-factor.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, done } from '../pipeline/envelope.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { checkOwnPage, cookieSessionToken, SESSION_COOKIE } from '../pipeline/session-cookie.ts'
import { currentSessionView } from '../shared/api-session-view.ts'
import { createLogInCall, type LogInCallParts } from '../shared/log-in-call.ts'
import { hasPasskeyParty, type PasskeyPartyParts } from '../shared/passkey-party.ts'
import { type BrowserSessionParts, BrowserSessions } from './browser-sessions.ts'

interface ConsoleSessionRouteParts extends LogInCallParts, BrowserSessionParts, PasskeyPartyParts {
  readonly secondFactor: SecondFactor
}

const PATHS = ['/console/session']

/**
 * Login by password and by passkey, logout of the console, and whether the browser has a session and can use passkeys at this address. The session token is sent in a cookie only. Without
 * a session the console makes no call that needs one, and where there are no passkeys none for them: the browser would log the refusal as an error of the page.
 */
export function consoleSessionRoutes(parts: ConsoleSessionRouteParts): Route[] {
  const { clock, secondFactor, sessions } = parts
  const browser = new BrowserSessions(parts)
  const logIn = createLogInCall(parts)

  const logInBy =
    (method: 'password' | 'passkey') =>
    async (call: Call): Promise<RouteResponse> => {
      // Login CSRF: a foreign page could log its visitors in under another identity.
      checkOwnPage(call.untrustedHead)
      const { token, session } = await logIn(method, call)
      const missing = await secondFactor.findMissing(session, [], call.tokenContext)
      return {
        ...detail(currentSessionView(session, '', { now: clock.now(), missing })),
        headers: { 'cache-control': 'no-store' },
        cookies: await browser.replace(call, token),
      }
    }

  return [
    {
      method: 'GET',
      paths: PATHS,
      access: 'anonymous',
      rate: 'none',
      bodyCap: 'anonymous',
      body: null,
      note: null,
      handle: async (call) => {
        const token = cookieSessionToken(call.untrustedHead)
        const session = token === '' ? undefined : await sessions.peek(token)
        const state = { isLive: session !== undefined, hasPasskeys: hasPasskeyParty(parts, call) }
        return { ...detail(state), headers: { 'cache-control': 'no-store' } }
      },
    },
    {
      method: 'POST',
      paths: PATHS,
      access: 'anonymous',
      rate: 'attempt',
      bodyCap: 'anonymous',
      body: { schema: ConsoleSession, optional: false },
      note: null,
      handle: logInBy('password'),
    },
    {
      method: 'POST',
      paths: PATHS.map((path) => `${path}/passkey`),
      access: 'anonymous',
      rate: 'attempt',
      bodyCap: 'anonymous',
      body: { schema: ConsolePasskeySession, optional: false },
      note: null,
      handle: logInBy('passkey'),
    },
    {
      method: 'DELETE',
      paths: PATHS,
      access: 'anonymous',
      rate: 'none',
      bodyCap: 'anonymous',
      body: null,
      note: null,
      handle: async (call) => {
        const { cookie } = call.untrustedHead.headers
        if (!cookie?.includes(SESSION_COOKIE)) return done()
        checkOwnPage(call.untrustedHead)
        return { ...done(), headers: { 'cache-control': 'no-store' }, cookies: await browser.end(call) }
      },
    },
  ]
}
