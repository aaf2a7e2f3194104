import { ConsoleSession } from '@countersign/contract'
import { findCookie } from '@countersign/core'
import { HELD_COOKIES } from '../../login/console/held-tokens.ts'
import type { SecondFactor } from '../../login/second-factor.ts'
import { endOwnSession } from '../../operations/api-session/end-session.ts'
import type { LiveSessions } from '../../session/live-sessions.ts'
import type { Store } from '../../store/store.ts'
import { detail, done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { buildCookie, checkOwnPage, clearCookie, SESSION_COOKIE } from '../pipeline/session-cookie.ts'
import { currentSessionView } from '../shared/api-session-view.ts'
import { createLogInCall, type LogInCallParts } from '../shared/log-in-call.ts'

interface ConsoleSessionRouteParts extends LogInCallParts {
  readonly store: Pick<Store, 'run'>
  readonly sessions: Pick<LiveSessions, 'peek'>
  readonly secondFactor: SecondFactor
}

const PATHS = ['/console/session']

/** Password login and logout of the console. The session token is sent in a cookie only. */
export function consoleSessionRoutes(parts: ConsoleSessionRouteParts): Route[] {
  const { store, clock, sessions, secondFactor } = parts
  const logIn = createLogInCall(parts)
  return [
    {
      method: 'POST',
      paths: PATHS,
      access: 'anonymous',
      rate: 'attempt',
      bodyCap: 'anonymous',
      body: { schema: ConsoleSession, optional: false },
      note: null,
      handle: async (call) => {
        // Login CSRF: a foreign page could log its visitors in under another identity.
        checkOwnPage(call.untrustedHead)
        const { token, session } = await logIn('password', call)
        const missing = await secondFactor.findMissing(session, [])
        return {
          ...detail(currentSessionView(session, '', { now: clock.now(), missing })),
          headers: { 'cache-control': 'no-store' },
          cookies: [buildCookie(SESSION_COOKIE, token)],
        }
      },
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
        const token = findCookie(cookie, SESSION_COOKIE)
        const session = token === undefined ? undefined : await sessions.peek(token)
        if (session) {
          const meta = operationMeta({ session, source: call.source }, clock.now())
          await store.run(endOwnSession, { id: session.id }, meta)
        }
        return {
          ...done(),
          headers: { 'cache-control': 'no-store' },
          cookies: [clearCookie(SESSION_COOKIE), ...HELD_COOKIES.map(clearCookie)],
        }
      },
    },
  ]
}
