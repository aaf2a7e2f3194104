import { operation } from '../../store/operation.ts'
import { getCa } from '../../store/reads/ca-reads.ts'
import { deleteCa as deleteRow } from '../../store/writes/ca-writes.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'

/** Deletes a CA with its pending enrollments. Identities and their authenticators stay; sessions of its certificates end. */
export const deleteCa = operation({
  name: 'ca.delete',
  access: { entity: 'ca', action: 'delete' },
  target: 'cas',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    await getCa(tx.db, id)
    await ensureAdministratorRemains(tx, () => deleteRow(tx, id))
  },
})
