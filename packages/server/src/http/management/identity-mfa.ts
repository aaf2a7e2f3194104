import { resetTotp } from '../../operations/totp/remove-totp.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { idOf } from './resource-routes.ts'

interface IdentityMfaRouteParts {
  readonly store: Pick<Store, 'run'>
  readonly clock: Clock
}

/** Removes the one-time codes of an identity, for a lost device. Succeeds also when there are none. */
export function identityMfaRoutes({ store, clock }: IdentityMfaRouteParts): Route[] {
  return [
    {
      method: 'DELETE',
      paths: [`${MANAGEMENT}/identities/:id/mfa`],
      access: { entity: 'identity', action: 'update' },
      bodyCap: 'management',
      body: null,
      note: describe.done('Remove the one-time codes of an identity'),
      handle: async (call) => {
        await store.run(resetTotp, { id: idOf(call) }, operationMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
