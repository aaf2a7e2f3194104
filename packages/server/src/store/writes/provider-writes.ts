import { isDeepStrictEqual } from 'node:util'
import type { ProviderSettings } from '@countersign/core'
import { insertRow } from '../prepared.ts'
import { providerColumns, type StoredProvider } from '../provider-row.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'

const ENTITY = 'identityProviders'

export async function insertProvider(
  tx: Transaction,
  { id, organizationId }: { readonly id: string; readonly organizationId: string },
  provider: ProviderSettings,
  sealedSecret: string | null,
): Promise<void> {
  const { db, now } = tx
  await rejectDuplicates({ name: provider.name }, () =>
    insertRow(db, 'identity_providers', {
      id,
      organization_id: organizationId,
      ...providerColumns(provider),
      administration_secret: sealedSecret,
      revision: 1,
      created_at: now,
      updated_at: now,
    }),
  )
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

/** The settings by which tokens are verified. */
function verificationOf(provider: ProviderSettings) {
  const { name, discovery_url, token_url, administration, ...columns } = providerColumns(provider)
  return columns
}

/** Whether tokens are verified by both in the same way. */
export function verifiesAlike(one: ProviderSettings, other: ProviderSettings): boolean {
  return isDeepStrictEqual(verificationOf(one), verificationOf(other))
}

/** Updates the record, and increments its revision when tokens are verified in another way from now on. */
export async function updateProvider(
  tx: Transaction,
  current: StoredProvider,
  next: ProviderSettings,
  sealedSecret: string | null,
): Promise<void> {
  const { id, revision } = current
  await rejectDuplicates({ name: next.name }, () =>
    tx.db
      .updateTable('identity_providers')
      .set({
        ...providerColumns(next),
        administration_secret: sealedSecret,
        revision: verifiesAlike(current, next) ? revision : revision + 1,
        updated_at: tx.now,
      })
      .where('id', '=', id)
      .execute(),
  )
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

export async function deleteProvider(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('identity_providers').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}
