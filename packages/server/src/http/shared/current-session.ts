import { endOwnSession } from '../../operations/api-session/end-session.ts'
import { onBothApis } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import { detail, done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { currentSessionView } from './api-session-view.ts'

/** The caller's own session. */
export function currentSessionRoutes({ store, clock, secondFactor }: ControllerContext): Route[] {
  return [
    {
      method: 'GET',
      paths: onBothApis('/current-api-session'),
      access: 'partial-session',
      bodyCap: 'anonymous',
      body: null,
      handle: async (call) => {
        const session = sessionOf(call)
        const missing = await secondFactor.findMissing(session, call.untrustedBearers)
        return detail(currentSessionView(session, call.sessionToken ?? '', { now: clock.now(), missing }))
      },
    },
    {
      method: 'DELETE',
      paths: onBothApis('/current-api-session'),
      access: 'partial-session',
      bodyCap: 'anonymous',
      body: null,
      handle: async (call) => {
        await store.run(endOwnSession, { id: sessionOf(call).id }, operationMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
