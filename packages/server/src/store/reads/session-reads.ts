import { prepared } from '../prepared.ts'
import type { Store } from '../store.ts'

const keptCount = prepared(0, (db) =>
  db.selectFrom('row_counts').select('total').where('table_name', '=', 'api_sessions'),
)

const endedCount = prepared(1, (db, now: number) =>
  db
    .selectFrom('api_sessions')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('expires_at', '<=', now),
)

const liveCount = prepared(1, (db, now: number) =>
  db
    .selectFrom('api_sessions')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('expires_at', '>', now),
)

/** How many sessions have not ended. Of those that have, few are there: they are swept up every now and then. */
export async function countLiveSessions({ db, dialect }: Pick<Store, 'db' | 'dialect'>, now: number): Promise<number> {
  if (dialect === 'postgres') return totalOf(await liveCount(db, now))
  const [kept, ended] = await Promise.all([keptCount(db), endedCount(db, now)])
  return totalOf(kept) - totalOf(ended)
}

function totalOf(rows: readonly { readonly total: number }[]): number {
  return Number(rows[0]?.total ?? 0)
}
