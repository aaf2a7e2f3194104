import { operation } from '../../store/operation.ts'
import { refuseUsedSigner } from '../../store/reads/reference-reads.ts'
import { getSigner } from '../../store/reads/signer-reads.ts'
import { unlinkSigner } from '../../store/writes/identity-writes.ts'
import { deleteSigner as deleteRow } from '../../store/writes/signer-writes.ts'
import { deleteSuppliedAttributes } from '../../store/writes/supplied-attribute-writes.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'

export const deleteSigner = operation({
  name: 'signer.delete',
  access: { entity: 'external-jwt-signer', action: 'delete' },
  target: 'externalJwtSigners',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    const { enabled, trust } = await getSigner(tx.db, id)
    await refuseUsedSigner(tx.db, id)
    await deleteSuppliedAttributes(tx, id)
    await unlinkSigner(tx, id)
    const remove = () => deleteRow(tx, id)
    await (enabled && trust.isTrusted ? ensureAdministratorRemains(tx, remove) : remove())
  },
})
