import type { AccountKind } from '@countersign/contract'
import { type AccountSettings, isSameSetting } from '@countersign/core'
import { accountColumns, accountSettings } from '../hosted-rows.ts'
import type { ApiAccountRow } from '../hosted-schema.ts'
import { insertRow } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'

const ENTITY = 'apiAccounts'

export interface AccountOwners {
  readonly id: string
  readonly organizationId: string
  readonly identityProviderId: string
  /** Default `client`. */
  readonly kind?: AccountKind
}

export async function insertAccount(
  tx: Transaction,
  { id, organizationId, identityProviderId, kind = 'client' }: AccountOwners,
  settings: AccountSettings,
  rotatesAt: number | null = null,
): Promise<void> {
  const { db, now } = tx
  await rejectDuplicates({ name: settings.name }, () =>
    insertRow(db, 'api_accounts', {
      id,
      organization_id: organizationId,
      identity_provider_id: identityProviderId,
      kind,
      ...accountColumns(settings),
      rotated_at: now,
      rotates_at: rotatesAt,
      has_expired: isPast(settings.expiresAt, now),
      revision: 1,
      created_at: now,
      updated_at: now,
    }),
  )
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

/** Whether tokens that the account accepted before must not be accepted after the change, also when it is undone. */
export function refusesEarlierTokens(current: ApiAccountRow, next: AccountSettings, now: number): boolean {
  const isSame = isSameSetting('conditions', accountSettings(current).conditions, next.conditions)
  return !next.active || !isSame || isPast(next.expiresAt, now)
}

/** A changed `expiresAt` alone decides whether the account has expired. */
export async function updateAccount(
  tx: Transaction,
  current: ApiAccountRow,
  settings: AccountSettings,
  rotatesAt: number | null = null,
): Promise<void> {
  const { id, revision, expires_at: expiresAt, has_expired: hasExpired } = current
  await rejectDuplicates({ name: settings.name }, () =>
    tx.db
      .updateTable('api_accounts')
      .set({
        ...accountColumns(settings),
        rotates_at: rotatesAt,
        has_expired: settings.expiresAt === expiresAt ? hasExpired : isPast(settings.expiresAt, tx.now),
        revision: refusesEarlierTokens(current, settings, tx.now) ? revision + 1 : revision,
        updated_at: tx.now,
      })
      .where('id', '=', id)
      .execute(),
  )
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Records that the access of an account has ended. Its earlier tokens are not accepted after an extension. */
export async function setAccountExpired(
  tx: Transaction,
  { id, revision }: Pick<ApiAccountRow, 'id' | 'revision'>,
): Promise<void> {
  await tx.db
    .updateTable('api_accounts')
    .set({ has_expired: true, revision: revision + 1, updated_at: tx.now })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

function isPast(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && now >= expiresAt
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
