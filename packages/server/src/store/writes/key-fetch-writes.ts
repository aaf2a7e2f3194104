import { sql } from 'kysely'
import type { Transaction } from '../transaction.ts'

interface Bucket {
  readonly endpoint: string
  readonly burst: number
  readonly refillMs: number
}

/**
 * Takes a token from the bucket of an endpoint; returns false when it is empty. A bucket is stored as the time at which it is full again, and one
 * statement changes it, so that nodes need no lock. A full bucket needs no row.
 */
export async function takeKeyFetch({ db, now }: Transaction, { endpoint, burst, refillMs }: Bucket): Promise<boolean> {
  const latest = now + burst * refillMs
  // A time further ahead was stored by a node with a wrong clock.
  await db
    .deleteFrom('key_fetches')
    .where((is) => is.or([is('full_at', '<=', now), is('full_at', '>', latest)]))
    .execute()
  const taken = await db
    .insertInto('key_fetches')
    .values({ endpoint, full_at: now + refillMs })
    .onConflict((conflict) =>
      conflict
        .column('endpoint')
        .doUpdateSet({ full_at: sql`key_fetches.full_at + ${refillMs}` })
        .where('key_fetches.full_at', '<=', latest - refillMs),
    )
    .returning('full_at')
    .executeTakeFirst()
  return taken !== undefined
}
