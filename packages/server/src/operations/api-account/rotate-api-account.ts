import { randomUUID } from 'node:crypto'
import { AppError } from '@countersign/core'
import { LONG_AGO } from '../../store/client-retirement.ts'
import { accountClient, accountSettings } from '../../store/hosted-rows.ts'
import type { ApiAccountRow } from '../../store/hosted-schema.ts'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { findCurrentClient } from '../../store/reads/account-client-reads.ts'
import { getAccountRow } from '../../store/reads/account-reads.ts'
import { getProvider } from '../../store/reads/provider-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { type AccountClient, retireClients } from '../../store/writes/account-client-writes.ts'
import { insertJob } from '../../store/writes/account-job-writes.ts'
import { deletePickup, putPickup } from '../../store/writes/account-pickup-writes.ts'
import { updateRotation } from '../../store/writes/account-writes.ts'
import { addEnableJob } from '../account-job/enable-job.ts'
import { finishJob } from '../account-job/finish-job.ts'
import { addClient } from './account-clients.ts'
import { endAccountSessions } from './account-sessions.ts'
import type { ClientBinding } from './client-binding.ts'
import { nextRotation } from './rotation-plan.ts'

/** A new client, or a further secret of the current one, which replaces others. */
export type NewCredential =
  | { readonly client: AccountClient; readonly binding: ClientBinding }
  | { readonly secretOf: string; readonly replaced: readonly string[] }

export interface RotateApiAccount extends OwnedKey {
  readonly credential: NewCredential
  /** For how long the account's current credentials are still accepted. */
  readonly overlapMs: number
  /** The job that created the credential at the provider. */
  readonly jobId?: string | undefined
  /** The credentials of a planned rotation, which wait for being picked up. */
  readonly sealedCredentials?: string | undefined
}

/** Throws for a federated account: it has no credentials. Called before a client is registered for the account, and again in the transaction. */
export function checkHasClients({ kind }: Pick<ApiAccountRow, 'kind'>): void {
  if (kind === 'client') return
  throw new AppError('INVALID_FIELD', { message: 'a federated account has no credentials to rotate' })
}

/** Gives an account a new credential, and retires the current ones. Returns the jobs that disable a new client of an inactive account at the provider. */
export const rotateApiAccount = operation({
  name: 'apiAccount.rotate',
  access: { hosted: 'admin' },
  target: 'apiAccounts',
  async run(tx, args: RotateApiAccount): Promise<string[]> {
    const { id, organizationId, credential, overlapMs, jobId, sealedCredentials } = args
    await finishJob(tx, jobId)
    const account = await getAccountRow(tx.db, organizationId, id)
    checkHasClients(account)
    const provider = await getProvider(tx.db, organizationId, account.identity_provider_id)
    if ('client' in credential) {
      const isAtOnce = overlapMs === 0
      if (isAtOnce) await endAccountSessions(tx, id)
      await retireClients(tx, id, isAtOnce ? LONG_AGO : tx.now + overlapMs)
      await addClient(tx, { accountId: id, provider }, credential.client, credential.binding)
    } else {
      await retireSecrets(tx, account, credential.replaced, tx.now + overlapMs)
    }
    await updateRotation(tx, id, { rotatedAt: tx.now, rotatesAt: nextRotation(accountSettings(account), tx.now) })
    // Earlier credentials that were not picked up are among the retired ones.
    if (sealedCredentials === undefined) await deletePickup(tx, id)
    else await putPickup(tx, { accountId: id, sealedCredentials, expiresAt: tx.now + overlapMs })
    return account.active || !('client' in credential) ? [] : addEnableJob(tx, account)
  },
})

/** The old secrets are valid until they are removed at the provider. */
async function retireSecrets(
  tx: Transaction,
  account: ApiAccountRow,
  secretIds: readonly string[],
  dueAt: number,
): Promise<void> {
  const current = await findCurrentClient(tx.db, account.id)
  if (!current) return
  for (const secretId of secretIds) {
    await insertJob(tx, {
      id: randomUUID(),
      organizationId: account.organization_id,
      identityProviderId: account.identity_provider_id,
      accountId: account.id,
      accountName: account.name,
      kind: 'remove-secret',
      state: 'pending',
      client: accountClient(current),
      secretId,
      dueAt,
    })
  }
}
