import { AppError, isAccountIdentity } from '@countersign/core'
import { hasAccess } from '../../store/identity-row.ts'
import { operation } from '../../store/operation.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { deleteIdentity as deleteRow } from '../../store/writes/identity-writes.ts'
import { authorizeIdentityChange } from './authorize-identity-change.ts'
import { ensureAdministratorRemains } from './ensure-administrator-remains.ts'

export const deleteIdentity = operation({
  name: 'identity.delete',
  access: { entity: 'identity', action: 'delete' },
  target: 'identities',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    const current = await authorizeIdentityChange(tx, id)
    if (current.isDefaultAdmin) {
      throw new AppError('ENTITY_CAN_NOT_BE_DELETED', { message: 'the default administrator cannot be deleted' })
    }
    // Its next exchange would create it again, with access.
    const isRevived = isAccountIdentity(id) && !hasAccess(current, tx.now)
    if (isRevived && !tx.actor.isAdmin) throw new AppError('UNAUTHORIZED')
    const remove = async () => {
      await endSessions(tx, { identityId: id })
      await deleteRow(tx, id)
    }
    await (current.isAdmin ? ensureAdministratorRemains(tx, remove) : remove())
  },
})
