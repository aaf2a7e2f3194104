import { resetTotp } from '../../operations/totp/remove-totp.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import { done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { idOf } from './resource-routes.ts'

/** Removes the one-time codes of an identity whose device is lost. Succeeds also when there are none. */
export function identityMfaRoutes({ store, clock }: ControllerContext): Route[] {
  return [
    {
      method: 'DELETE',
      paths: [`${MANAGEMENT}/identities/:id/mfa`],
      access: { entity: 'identity', action: 'update' },
      bodyCap: 'management',
      body: null,
      handle: async (call) => {
        await store.run(resetTotp, { id: idOf(call) }, operationMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
