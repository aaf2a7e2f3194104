import { operation } from '../../store/operation.ts'
import { refuseUsedSigner } from '../../store/reads/reference-reads.ts'
import { loadRightsSuppliedBy } from '../../store/reads/rights-reads.ts'
import { getSigner } from '../../store/reads/signer-reads.ts'
import { unlinkSigner } from '../../store/writes/identity-writes.ts'
import { deleteSigner as deleteRow } from '../../store/writes/signer-writes.ts'
import { deleteSuppliedAttributes } from '../../store/writes/supplied-attribute-writes.ts'
import { checkHasRightsOf } from '../identity/authorize-identity-change.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'

/**
 * Deletes a signer with the attributes that it supplies. Rules of policies read these, so that an actor who is not an administrator needs the rights of the
 * identities that lose them.
 */
export const deleteSigner = operation({
  name: 'signer.delete',
  access: { entity: 'external-jwt-signer', action: 'delete' },
  target: 'externalJwtSigners',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    const { enabled, trust } = await getSigner(tx.db, id)
    const holders = await loadRightsSuppliedBy(tx.db, id)
    checkHasRightsOf(tx.actor, holders)
    await refuseUsedSigner(tx.db, id)
    const remove = async () => {
      await deleteSuppliedAttributes(tx, id)
      await unlinkSigner(tx, id)
      await deleteRow(tx, id)
    }
    const mayLockOut = (enabled && trust.isTrusted) || holders.some(({ isAdmin }) => isAdmin)
    await (mayLockOut ? ensureAdministratorRemains(tx, remove) : remove())
  },
})
