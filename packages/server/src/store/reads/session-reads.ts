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

/**
 * Counts the sessions that have not ended, where the database keeps count of all: of those that have, few are there, since they are swept
 * up every now and then. Undefined where it does not.
 */
export function findSessionCounter({ db, dialect }: Pick<Store, 'db' | 'dialect'>, now: number) {
  if (dialect !== 'sqlite') return undefined
  return async (): Promise<number> => {
    const [[kept], [ended]] = await Promise.all([keptCount(db), endedCount(db, now)])
    return (kept?.total ?? 0) - (ended?.total ?? 0)
  }
}
