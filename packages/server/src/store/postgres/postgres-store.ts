import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@countersign/core'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { FairQueue } from '../../platform/fair-queue.ts'
import { settleWithin } from '../../platform/settle-within.ts'
import { type Change, type ChangeListener, type OwnChangeListener, withoutDetails } from '../change.ts'
import type { ChangeSharing } from '../change-sharing.ts'
import { LONG_READ_MS, LONG_READS_AT_ONCE, LongReadQueue, longReadTimeout } from '../long-read.ts'
import { migrate } from '../migrations/migrate.ts'
import { POSTGRES_TYPES } from '../migrations/migration.ts'
import type { AnyOperation } from '../operation.ts'
import type { OperationMeta } from '../operation-meta.ts'
import { runOperation } from '../run-operation.ts'
import type { Database } from '../schema.ts'
import type { Store } from '../store.ts'
import { isConnectionError } from './connection-error.ts'
import { CONNECT_TIMEOUT_MS, type ConnectionPool, createConnectionPool } from './connection-pool.ts'
import { followChanges, NOTIFY_CHANNEL, type Notification } from './follow-changes.ts'

const INT8_OID = 20
/** Instants and counts stay far below 2^53, so a number holds them exactly. */
pg.types.setTypeParser(INT8_OID, Number)

/** Keys of advisory locks, unlikely to collide with those of other programs. */
const LOCK_SPACE = 1129270867
const LOCKS = { migration: 1, write: 2 }

/** Serializes operations over all nodes until the end of the transaction, so that what an operation has read is still true when it commits. */
async function acquireLock(transaction: Kysely<Database>, lock: number = LOCKS.write): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_SPACE}::int, ${lock}::int)`.execute(transaction)
}

/** Retries after a serialization failure or deadlock, with exponential backoff. */
const MAX_RETRIES = 3
const RETRY_BACKOFF_MS = 10
const RETRYABLE = new Set(['40001', '40P01'])
const READ_ONLY = '25006'
const STATEMENT_TIMEOUT = '57014'

const MAX_CONNECTIONS = 10
/** Left to reads, however many writes there are. */
const CONNECTIONS_FOR_READS = 2
/** With more writes waiting, further ones fail with SERVER_TOO_MANY_REQUESTS. */
const MAX_WAITING_WRITES = 10_000
const STALE_MS = 1_000
/** A server that does not respond must not delay the exit of the process. */
const CLOSE_TIMEOUT_MS = 700

export interface PostgresOptions {
  readonly url: string
  readonly nodeId: string
  readonly now: number
  /** Default 10. */
  readonly maxConnections?: number | undefined
  /** Time limit of a long read; default 5 seconds. */
  readonly longReadMs?: number | undefined
  /** How long caches stay valid without a connection; default 1 second. */
  readonly staleMs?: number | undefined
  /** For the processes of one node, which must not wait for notifications. */
  readonly sharing?: ChangeSharing | undefined
  onWarning(message: string): void
}

/** The shared store: any number of nodes on one PostgreSQL database, which exchange changes by LISTEN and NOTIFY. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const { url, onWarning, maxConnections = MAX_CONNECTIONS, longReadMs = LONG_READ_MS } = options
  const pool = createConnectionPool({
    url,
    onWarning,
    max: Math.max(2, maxConnections - LONG_READS_AT_ONCE),
    statementMs: 10_000,
    name: 'countersign',
  })
  // Connections of their own: however many long reads there are, logins and writes have theirs.
  const listPool = createConnectionPool({
    url,
    onWarning,
    max: LONG_READS_AT_ONCE,
    statementMs: longReadMs,
    name: 'countersign-lists',
  })
  try {
    return await openOn(pool, listPool, options)
  } catch (error) {
    await Promise.all([pool.db.destroy(), listPool.db.destroy()])
    throw error
  }
}

async function openOn(
  { db, dropIdle }: ConnectionPool,
  listPool: ConnectionPool,
  options: PostgresOptions,
): Promise<Store> {
  await db.transaction().execute(async (transaction) => {
    await acquireLock(transaction, LOCKS.migration)
    await migrate(transaction, POSTGRES_TYPES, options.now)
  })

  const listeners: ChangeListener[] = []
  const ownListeners: OwnChangeListener[] = []
  const publish: ChangeListener = (changes) => {
    for (const listener of listeners) listener(changes)
  }
  options.sharing?.onAnnounced(publish)
  const follower = await followChanges({ ...options, staleMs: options.staleMs ?? STALE_MS, publish })

  // Not the pool's own queue, in which a write that waits for the writes before it would time out as if there were no connection.
  const writesAtOnce = Math.max(
    1,
    (options.maxConnections ?? MAX_CONNECTIONS) - LONG_READS_AT_ONCE - CONNECTIONS_FOR_READS,
  )
  const writes = new FairQueue({
    atOnce: writesAtOnce,
    // One actor's writes wait for each other's lock, and must not do so on every connection.
    perKey: Math.ceil(writesAtOnce / 2),
    maxWaiting: MAX_WAITING_WRITES,
  })
  const longReads = new LongReadQueue()
  const runOnce = (operation: AnyOperation, args: unknown, meta: OperationMeta) =>
    db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (transaction) => {
        if (operation.needsWriteLock !== false) await acquireLock(transaction)
        const done = await runOperation({ db: transaction, dialect: 'postgres' }, operation, args, meta)
        if (done.changes.length > 0) {
          const message = notification(options.nodeId, done.changes)
          await sql`select pg_notify(${NOTIFY_CHANNEL}, ${message})`.execute(transaction)
        }
        return done
      })

  return {
    dialect: 'postgres',
    db,
    readLong: (caller, query) =>
      longReads.run(caller, async () => {
        try {
          return (await listPool.db.executeQuery(query)).rows
        } catch (error) {
          throw (error as { code?: unknown }).code === STATEMENT_TIMEOUT ? longReadTimeout() : error
        }
      }),
    run: async (operation, args, meta) => {
      for (let retries = 0; ; retries++) {
        try {
          const { result, changes } = await writes.run(meta.organizationId ?? meta.actorId, () =>
            runOnce(operation, args, meta),
          )
          if (changes.length > 0) {
            follower.noteOwn(changes.length)
            publish(changes)
            for (const listener of ownListeners) listener(changes, meta)
            await options.sharing?.announce(changes)
          }
          return result as never
        } catch (error) {
          if (error instanceof AppError) throw error
          const code = String((error as { code?: unknown }).code)
          // After a failover the pooled connections lead to the standby; new ones may reach the new primary.
          if (code === READ_ONLY) dropIdle()
          const isRetryable = RETRYABLE.has(code)
          if (isRetryable && retries < MAX_RETRIES) {
            await sleep(Math.random() * RETRY_BACKOFF_MS * 2 ** retries)
            continue
          }
          if (!isRetryable && !isConnectionError(error)) throw error
          const unavailable = new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
          // Each of them would wait for a connection in turn, long after its request was answered.
          if (!isRetryable) writes.rejectOlderThan(CONNECT_TIMEOUT_MS, unavailable)
          throw unavailable
        }
      }
    },
    onChange: (listener) => void listeners.push(listener),
    onOwnChange: (listener) => void ownListeners.push(listener),
    close: async () => {
      await settleWithin(CLOSE_TIMEOUT_MS, [follower.stop(), db.destroy(), listPool.db.destroy()])
    },
  }
}

/** A notification holds 8,000 bytes; more changes are published as `everything`. */
const MAX_NOTIFIED_CHANGES = 40

function notification(nodeId: string, changes: readonly Change[]): string {
  const published = changes.map(withoutDetails)
  const notification: Notification = {
    from: nodeId,
    changes: published.length > MAX_NOTIFIED_CHANGES ? 'everything' : published,
    count: published.length,
  }
  return JSON.stringify(notification)
}
