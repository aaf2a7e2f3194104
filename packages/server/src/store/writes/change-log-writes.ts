import type { Transaction } from '../transaction.ts'

/** Deletes the oldest entries from before `before`, `limit` at most; returns how many there were. */
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
