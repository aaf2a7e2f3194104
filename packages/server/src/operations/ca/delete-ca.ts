import { operation } from '../../store/operation.ts'
import { getCa, isLoginCa } from '../../store/reads/ca-reads.ts'
import { deleteCa as deleteRow } from '../../store/writes/ca-writes.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'

/** Deletes a CA with its pending enrollments. Identities and their authenticators stay; sessions of its certificates end. */
export const deleteCa = operation({
  name: 'ca.delete',
  access: { entity: 'ca', action: 'delete' },
  target: 'cas',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    const ca = await getCa(tx.db, id)
    const remove = () => deleteRow(tx, id)
    await (isLoginCa(ca) && ca.trust.isTrusted ? ensureAdministratorRemains(tx, remove) : remove())
  },
})
