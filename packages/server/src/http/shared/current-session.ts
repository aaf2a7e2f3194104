import type { ControllerContext } from '../../controller-context.ts'
import { onBothApis } from '../api-paths.ts'
import { detail, done } from '../pipeline/envelope.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { writeMeta } from '../pipeline/write-meta.ts'
import { currentSessionView } from './api-session-view.ts'

/** The caller's own session. */
export function currentSessionRoutes({ store, clock }: ControllerContext): Route[] {
  return [
    {
      method: 'GET',
      paths: onBothApis('/current-api-session'),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      handle: (call) => detail(currentSessionView(sessionOf(call), call.sessionToken ?? '', clock.now())),
    },
    {
      method: 'DELETE',
      paths: onBothApis('/current-api-session'),
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      handle: async (call) => {
        await store.write('apiSession.delete', { id: sessionOf(call).id }, writeMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
