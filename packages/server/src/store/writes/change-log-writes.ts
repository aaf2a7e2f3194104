import type { Transaction } from '../transaction.ts'

/** Deletes up to `limit` entries older than `before`, oldest first. Returns how many it deleted. */
export async function deleteOldChanges({ db }: Transaction, before: number, limit: number): Promise<number> {
  const old = await db
    .selectFrom('change_log')
    .select('seq')
    .where('at', '<', before)
    .orderBy('seq')
    .limit(limit)
    .execute()
  const last = old.at(-1)
  if (last) await db.deleteFrom('change_log').where('seq', '<=', last.seq).execute()
  return old.length
}
