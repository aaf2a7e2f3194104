import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

const ENTITY = 'revocations'

export interface NewRevocation {
  readonly id: string
  readonly type: string
  readonly issuedBefore: number | null
  readonly expiresAt: number
  readonly tags: string
}

/** Replaces an earlier revocation with the same id. */
export async function storeRevocation(tx: Transaction, revocation: NewRevocation): Promise<void> {
  const { id, type, issuedBefore, expiresAt, tags } = revocation
  const values = { type, issued_before: issuedBefore, expires_at: expiresAt, tags, updated_at: tx.now }
  await tx.db
    .insertInto('revocations')
    .values({ id, ...values, created_at: tx.now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Deletes up to `limit` revocations that have expired. Returns how many. No cache holds an expired one. */
export async function deleteExpiredRevocations({ db, dialect, now }: Transaction, limit: number): Promise<number> {
  const expired = db.selectFrom('revocations').select('id').where('expires_at', '<=', now).limit(limit)
  const rows = await skipLocked(dialect, expired).execute()
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0) await db.deleteFrom('revocations').where('id', 'in', ids).execute()
  return ids.length
}
