import { AuthenticatorRequestExtend, type AuthenticatorRequestExtend as Body } from '@countersign/contract'
import { requestRenewal, requestRenewalsOf } from '../../operations/authenticator/request-renewal.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { idOf } from './resource-routes.ts'

interface RenewalRequestRouteParts {
  readonly store: Pick<Store, 'run'>
  readonly clock: Clock
}

/** Requests that clients renew their certificates. They see the request in their next session. */
export function renewalRequestRoutes({ store, clock }: RenewalRequestRouteParts): Route[] {
  const rollKeys = (call: Call) => ((call.body ?? {}) as Body).rollKeys ?? false
  const row = {
    method: 'POST',
    bodyCap: 'management',
    body: { schema: AuthenticatorRequestExtend, optional: true },
  } as const
  return [
    {
      ...row,
      paths: [`${MANAGEMENT}/authenticators/:id/request-extend`],
      access: { entity: 'identity', action: 'update', isWhole: true },
      note: describe.done('Request the renewal of a certificate'),
      handle: async (call) => {
        const args = { id: idOf(call), rollKeys: rollKeys(call) }
        await store.run(requestRenewal, args, operationMeta(call, clock.now()))
        return done()
      },
    },
    {
      ...row,
      paths: [`${MANAGEMENT}/identities/:id/request-extend`],
      access: { entity: 'identity', action: 'update' },
      note: describe.done('Request the renewal of all certificates of an identity'),
      handle: async (call) => {
        const args = { identityId: idOf(call), rollKeys: rollKeys(call) }
        await store.run(requestRenewalsOf, args, operationMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
