import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../transaction.ts'

/**
 * Removes all attributes that a signer supplies. Reports no identity, of which there may be many: caches drop what depends on the signer when the
 * signer itself is reported.
 */
export async function deleteSuppliedAttributes(tx: Transaction, signerId: string): Promise<void> {
  await noteChange(tx, signerId)
  await tx.db.deleteFrom('identity_attributes').where(isSuppliedBy(signerId)).execute()
}

/** Leaves the attributes from a signer's tokens to the administrators. Reports as `deleteSuppliedAttributes` does. */
export async function releaseTokenAttributes(tx: Transaction, signerId: string): Promise<void> {
  await noteChange(tx, signerId)
  await sql`insert into identity_attributes (identity_id, attribute, signer_id, channel)
    select identity_id, attribute, '', '' from identity_attributes where ${isSuppliedBy(signerId)} and channel = 'token'
    on conflict do nothing`.execute(tx.db)
  await tx.db.deleteFrom('identity_attributes').where(isSuppliedBy(signerId)).where('channel', '=', 'token').execute()
}

async function noteChange({ db, now }: Transaction, signerId: string): Promise<void> {
  const supplied = db.selectFrom('identity_attributes').select('identity_id').where(isSuppliedBy(signerId))
  await db.updateTable('identities').set({ updated_at: now }).where('id', 'in', supplied).execute()
}

/** Has the condition of the index `identity_attributes_signer`, or the index is not used. */
function isSuppliedBy(signerId: string): RawBuilder<boolean> {
  return sql<boolean>`(signer_id = ${signerId} and signer_id <> '')`
}
