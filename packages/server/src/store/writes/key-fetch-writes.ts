import { hash } from 'node:crypto'
import { sql } from 'kysely'
import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

interface Bucket {
  /** Of any length: its digest is stored. */
  readonly endpoint: string
  readonly burst: number
  readonly refillMs: number
}

/**
 * Takes a token from the bucket of an endpoint; returns false when it is empty. A bucket is stored as the time at which it is full again, and one
 * statement changes it, so that nodes need no lock. A full bucket needs no row.
 */
export async function takeKeyFetch(tx: Transaction, { endpoint, burst, refillMs }: Bucket): Promise<boolean> {
  const { db, now } = tx
  const latest = now + burst * refillMs
  const refilled = now + refillMs
  // A time further ahead was stored by a node with a wrong clock.
  const isFull = sql<boolean>`(key_fetches.full_at <= ${now} or key_fetches.full_at > ${latest})`
  const taken = await db
    .insertInto('key_fetches')
    .values({ endpoint: hash('sha256', endpoint, 'base64url'), full_at: refilled })
    .onConflict((conflict) =>
      conflict
        .column('endpoint')
        .doUpdateSet({
          full_at: sql`case when ${isFull} then cast(${refilled} as bigint) else key_fetches.full_at + ${refillMs} end`,
        })
        .where((is) => is.or([isFull, is('key_fetches.full_at', '<=', latest - refillMs)])),
    )
    .returning('full_at')
    .executeTakeFirst()
  await deleteFullBuckets(tx, latest)
  return taken !== undefined
}

/** After the bucket was taken, because a transaction that waits for a bucket must hold no other. */
async function deleteFullBuckets({ db, dialect, now }: Transaction, latest: number): Promise<void> {
  const full = db
    .selectFrom('key_fetches')
    .select('endpoint')
    .where((is) => is.or([is('full_at', '<=', now), is('full_at', '>', latest)]))
  await db.deleteFrom('key_fetches').where('endpoint', 'in', skipLocked(dialect, full)).execute()
}
