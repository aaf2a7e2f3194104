import { ConsoleSession } from '@countersign/contract'
import { findCookie } from '@countersign/core'
import { HELD_COOKIES } from '../../login/console/held-tokens.ts'
import { endOwnSession } from '../../operations/api-session/end-session.ts'
import type { ControllerContext } from '../controller-context.ts'
import { detail, done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { buildCookie, checkOwnPage, clearCookie, SESSION_COOKIE } from '../pipeline/session-cookie.ts'
import { currentSessionView } from '../shared/api-session-view.ts'
import { createSignInCall } from '../shared/sign-in-call.ts'

const PATHS = ['/console/session']

/** Signing in and out of the console. The token goes into a cookie, and nowhere else. */
export function consoleSessionRoutes(context: ControllerContext): Route[] {
  const { store, clock, sessions, secondFactor } = context
  const signIn = createSignInCall(context)
  return [
    {
      method: 'POST',
      paths: PATHS,
      access: 'anonymous',
      rate: 'sign-in',
      bodyCap: 'anonymous',
      body: { schema: ConsoleSession, optional: false },
      handle: async (call) => {
        // A page of somebody else could sign its visitors in as somebody who is not them.
        checkOwnPage(call.untrustedHead)
        const { token, session } = await signIn('password', call)
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
      handle: async (call) => {
        const { cookie } = call.untrustedHead.headers
        if (!cookie?.includes(SESSION_COOKIE)) return done()
        checkOwnPage(call.untrustedHead)
        const token = findCookie(cookie, SESSION_COOKIE)
        const session = token === undefined ? undefined : await sessions.look(token)
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
