import { resetPasskey } from '../../operations/passkey/change-passkey.ts'
import type { Clock } from '../../platform/clock.ts'
import { notFound } from '../../store/not-found.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import { listPasskeys } from '../../store/reads/passkey-reads.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { detail, done } from '../pipeline/envelope.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { passkeyView } from '../shared/passkey-view.ts'
import { idOf } from './resource-routes.ts'

interface IdentityPasskeyRouteParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
}

const COLLECTION = `${MANAGEMENT}/identities/:id/passkeys`

/** The passkeys of an identity, to remove those of a lost device. Only the identity itself can add one. */
export function identityPasskeyRoutes({ store, clock }: IdentityPasskeyRouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: [COLLECTION],
      access: { entity: 'identity', action: 'read' },
      bodyCap: 'management',
      body: null,
      note: describe.wholeList('Passkey', 'List the passkeys of an identity'),
      handle: async (call) => {
        const id = idOf(call)
        if (!(await findIdentity(store.db, id))) throw notFound('identity', id)
        const rows = await listPasskeys(store.db, id)
        return detail(rows.map((row) => passkeyView(row, `identities/${id}/passkeys`)))
      },
    },
    {
      method: 'DELETE',
      paths: [`${COLLECTION}/:passkeyId`],
      access: { entity: 'identity', action: 'delete', isWhole: true },
      bodyCap: 'management',
      body: null,
      note: describe.done('Remove a passkey of an identity', {
        parameters: ['confirmLockOut'],
        description: 'Ends the sessions that the passkey has opened or completed.',
      }),
      handle: async (call) => {
        const args = { id: call.params.passkeyId ?? '', identityId: idOf(call) }
        await store.run(resetPasskey, args, operationMeta(call, clock.now()))
        return done()
      },
    },
  ]
}
