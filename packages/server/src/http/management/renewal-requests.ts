import { AuthenticatorRequestExtend, type AuthenticatorRequestExtend as Body } from '@countersign/contract'
import { MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { done } from '../pipeline/envelope.ts'
import type { Route } from '../pipeline/route.ts'
import { writeMeta } from '../pipeline/write-meta.ts'
import { byWhom } from '../shared/by-whom.ts'
import { idOf } from './resource-routes.ts'

/** Asking the holders of certificates to renew them: they are told with their next session. */
export function renewalRequestRoutes({ store, clock }: ControllerContext): Route[] {
  const request = (which: (id: string) => { id: string } | { identityId: string }) => async (call: Call) => {
    const { rollKeys = false } = (call.body ?? {}) as Body
    const args = { ...which(idOf(call)), rollKeys, ...byWhom(call) }
    await store.write('authenticator.requestExtend', args, writeMeta(call, clock.now()))
    return done()
  }
  const row = {
    method: 'POST',
    bodyCap: 'management',
    body: { schema: AuthenticatorRequestExtend, optional: true },
  } as const
  return [
    {
      ...row,
      paths: [`${MANAGEMENT}/authenticators/:id/request-extend`],
      access: { entity: 'authenticator', action: 'update', orAllOf: 'identity' },
      handle: request((id) => ({ id })),
    },
    {
      ...row,
      paths: [`${MANAGEMENT}/identities/:id/request-extend`],
      access: { entity: 'identity', action: 'update' },
      handle: request((identityId) => ({ identityId })),
    },
  ]
}
