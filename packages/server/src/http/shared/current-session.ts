import type { SecondFactor } from '../../login/second-factor.ts'
import { endOwnSession } from '../../operations/api-session/end-session.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/store.ts'
import { onBothApis } from '../api-paths.ts'
import { detail, done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { bearerSessionView, currentSessionView } from './api-session-view.ts'

interface CurrentSessionRouteParts {
  readonly store: Pick<Store, 'run'>
  readonly clock: Clock
  readonly secondFactor: SecondFactor
}

/** The caller's own session. */
export function currentSessionRoutes({ store, clock, secondFactor }: CurrentSessionRouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: onBothApis('/current-api-session'),
      access: 'partial-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.one('CurrentApiSession', 'Get the caller’s session'),
      handle: async (call) => {
        const session = sessionOf(call)
        const missing = await secondFactor.findMissing(session, call.untrustedBearers, call.tokenContext)
        const { accessToken: claims, sessionToken: token = '' } = call
        const now = clock.now()
        if (!claims) return detail(currentSessionView(session, token, { now, missing }))
        return detail(bearerSessionView(session, { token, claims, ipAddress: call.remoteAddr, now, missing }))
      },
    },
    {
      method: 'DELETE',
      paths: onBothApis('/current-api-session'),
      access: 'partial-session',
      bodyCap: 'anonymous',
      body: null,
      note: describe.done('Log out: end the session'),
      handle: async (call) => {
        await store.run(endOwnSession, { id: sessionOf(call).id }, operationMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
