import { LONG_AGO } from '../../store/client-retirement.ts'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { getAccountRow } from '../../store/reads/account-reads.ts'
import { getProvider } from '../../store/reads/provider-reads.ts'
import { type AccountClient, retireClients } from '../../store/writes/account-client-writes.ts'
import { addClient } from './account-clients.ts'
import { endAccountSessions } from './account-sessions.ts'
import type { ClientBinding } from './client-binding.ts'

export interface RotateApiAccount extends OwnedKey {
  readonly client: AccountClient
  readonly binding: ClientBinding
  /** For how long the account's current clients are still accepted. */
  readonly overlapMs: number
}

/** Adds a client to an account and retires its current clients. */
export const rotateApiAccount = operation({
  name: 'apiAccount.rotate',
  access: { hosted: 'admin' },
  target: 'apiAccounts',
  async run(tx, { id, organizationId, client, binding, overlapMs }: RotateApiAccount): Promise<void> {
    const account = await getAccountRow(tx.db, organizationId, id)
    const provider = await getProvider(tx.db, organizationId, account.identity_provider_id)
    const isAtOnce = overlapMs === 0
    if (isAtOnce) await endAccountSessions(tx, id)
    await retireClients(tx, id, isAtOnce ? LONG_AGO : tx.now + overlapMs)
    await addClient(tx, { accountId: id, provider }, client, binding)
  },
})
