import { MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import { done } from '../pipeline/envelope.ts'
import type { Route } from '../pipeline/route.ts'
import { writeMeta } from '../pipeline/write-meta.ts'
import { byWhom } from '../shared/by-whom.ts'
import { idOf } from './resource-routes.ts'

/** Takes somebody's one-time codes away, who has lost his device. It is done also when there were none. */
export function identityMfaRoutes({ store, clock }: ControllerContext): Route[] {
  return [
    {
      method: 'DELETE',
      paths: [`${MANAGEMENT}/identities/:id/mfa`],
      access: { entity: 'identity', action: 'update' },
      bodyCap: 'management',
      body: null,
      handle: async (call) => {
        await store.write('totp.reset', { id: idOf(call), ...byWhom(call) }, writeMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
