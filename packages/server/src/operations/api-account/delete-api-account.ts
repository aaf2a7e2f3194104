import type { ApiAccountClientRow } from '../../store/hosted-schema.ts'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { listClients } from '../../store/reads/account-client-reads.ts'
import { getAccountRow } from '../../store/reads/account-reads.ts'
import { deleteAccount } from '../../store/writes/account-writes.ts'
import { deleteAccountIdentity } from './account-identity.ts'

/** Deletes an account with its clients, its identity on this controller and the identity's sessions. Returns the clients, which the provider still has. */
export const deleteApiAccount = operation({
  name: 'apiAccount.delete',
  access: { hosted: 'admin' },
  target: 'apiAccounts',
  async run(tx, { id, organizationId }: OwnedKey): Promise<ApiAccountClientRow[]> {
    await getAccountRow(tx.db, organizationId, id)
    const clients = await listClients(tx.db, id)
    await deleteAccountIdentity(tx, id)
    await deleteAccount(tx, id)
    return clients
  },
})
