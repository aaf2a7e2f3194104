import { checkPlainText, fieldError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { type ClientKey, findSiblingWithClient } from '../../store/reads/account-client-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { type AccountClient, deleteClient, insertClient } from '../../store/writes/account-client-writes.ts'

/** Removes a client after its retirement. */
export const removeClient = operation({
  name: 'apiAccount.removeClient',
  access: 'none',
  async run(tx, { issuer, clientId }: ClientKey): Promise<void> {
    await deleteClient(tx, { issuer, clientId })
  },
})

/** Adds a client to an account. A client of another account is refused; the account is named only if it is in the same organization. */
export async function addClient(
  tx: Transaction,
  { accountId, issuer }: { readonly accountId: string; readonly issuer: string },
  client: AccountClient,
): Promise<void> {
  const { clientId } = client
  checkPlainText('clientId', clientId)
  const own = await findSiblingWithClient(tx.db, accountId, { issuer, clientId })
  if (own) throw fieldError('clientId', `the account ${own.name} (${own.id}) already uses this client`, clientId)
  await insertClient(tx, { accountId, issuer }, client)
}
