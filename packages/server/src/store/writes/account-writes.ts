import type { AccountSettings } from '@countersign/core'
import { accountColumns } from '../hosted-rows.ts'
import { insertRow } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'

const ENTITY = 'apiAccounts'

export interface AccountOwners {
  readonly id: string
  readonly organizationId: string
  readonly identityProviderId: string
}

export async function insertAccount(
  tx: Transaction,
  { id, organizationId, identityProviderId }: AccountOwners,
  settings: AccountSettings,
  rotatesAt: number | null = null,
): Promise<void> {
  const { db, now } = tx
  await rejectDuplicates({ name: settings.name }, () =>
    insertRow(db, 'api_accounts', {
      id,
      organization_id: organizationId,
      identity_provider_id: identityProviderId,
      ...accountColumns(settings),
      rotated_at: now,
      rotates_at: rotatesAt,
      created_at: now,
      updated_at: now,
    }),
  )
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

export async function updateAccount(
  tx: Transaction,
  id: string,
  settings: AccountSettings,
  rotatesAt: number | null = null,
): Promise<void> {
  await rejectDuplicates({ name: settings.name }, () =>
    tx.db
      .updateTable('api_accounts')
      .set({ ...accountColumns(settings), rotates_at: rotatesAt, updated_at: tx.now })
      .where('id', '=', id)
      .execute(),
  )
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Deletes an account with its clients. */
export async function deleteAccount(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('api_accounts').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}

/** Records that an account has new credentials, and when they are rotated. */
export async function updateRotation(
  tx: Transaction,
  id: string,
  { rotatedAt, rotatesAt }: { readonly rotatedAt: number; readonly rotatesAt: number | null },
): Promise<void> {
  await tx.db
    .updateTable('api_accounts')
    .set({ rotated_at: rotatedAt, rotates_at: rotatesAt, updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}
