import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@countersign/core'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { settleWithin } from '../../platform/settle-within.ts'
import type { Change, ChangeListener, OwnChangeListener } from '../change.ts'
import { migrate } from '../migrations/migrate.ts'
import { POSTGRES_TYPES } from '../migrations/migration.ts'
import type { AnyOperation } from '../operation.ts'
import type { OperationMeta } from '../operation-meta.ts'
import { runOperation } from '../run-operation.ts'
import type { Database } from '../schema.ts'
import type { Store } from '../store.ts'
import { isConnectionProblem } from './connection-problem.ts'
import { followChanges, NOTIFY_CHANNEL, type Notification } from './follow-changes.ts'

const INT8_OID = 20
/** Instants and counts stay far below 2^53, so a number holds them exactly. */
pg.types.setTypeParser(INT8_OID, Number)

/** Numbers that no other program is likely to lock. */
const LOCK_SPACE = 1129270867
const LOCKS = { migration: 1, write: 2 }

/**
 * Operations check what they depend on and then write, so they take turns over all nodes: what one has read is still true when it commits.
 */
async function takeTurn(transaction: Kysely<Database>, lock: number = LOCKS.write): Promise<void> {
  await sql`select pg_advisory_xact_lock(${LOCK_SPACE}::int, ${lock}::int)`.execute(transaction)
}

/** A write that collided with another is tried again this often, each time after a somewhat longer pause. */
const MAX_RETRIES = 3
const RETRY_PAUSE_MS = 10
const RETRYABLE = new Set(['40001', '40P01'])
const READ_ONLY = '25006'

const MAX_CONNECTIONS = 10
const STALE_MS = 1_000
/** A server that does not answer does not hold up the end of the process. */
const CLOSE_WITHIN_MS = 700

export interface PostgresOptions {
  readonly url: string
  readonly nodeId: string
  readonly now: number
  /** 10 unless given. */
  readonly maxConnections?: number | undefined
  /** What is remembered is believed for so long without the database; a second unless given. */
  readonly staleMs?: number | undefined
  onProblem(message: string): void
}

/** The shared store: any number of nodes on one PostgreSQL, told of each other's writes by LISTEN and NOTIFY. */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.maxConnections ?? MAX_CONNECTIONS,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Longer than the server takes to give up a statement: this one is for a server that does not answer at all.
    query_timeout: 12_000,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 10_000,
    application_name: 'countersign',
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => options.onProblem(`a database connection was lost: ${error.message}`))
  // One in use that breaks between two statements fails at the next; without a listener it would end the process too.
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    client.on('error', () => {})
    clients.add(client)
  })
  pool.on('remove', (client) => clients.delete(client))
  /** The pool replaces idle connections that have an error; those in use go on. */
  const dropIdle = (): void => {
    for (const client of clients) client.emit('error', new Error('the database takes no writes'))
  }
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await openOn(db, options, dropIdle)
  } catch (error) {
    await db.destroy()
    throw error
  }
}

async function openOn(db: Kysely<Database>, options: PostgresOptions, dropIdle: () => void): Promise<Store> {
  await db.transaction().execute(async (transaction) => {
    await takeTurn(transaction, LOCKS.migration)
    await migrate(transaction, POSTGRES_TYPES, options.now)
  })

  const listeners: ChangeListener[] = []
  const ownListeners: OwnChangeListener[] = []
  const tell: ChangeListener = (changes) => {
    for (const listener of listeners) listener(changes)
  }
  const follower = await followChanges({ ...options, staleMs: options.staleMs ?? STALE_MS, tell })

  const runOnce = (operation: AnyOperation, args: unknown, meta: OperationMeta) =>
    db
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (transaction) => {
        if (operation.takesTurns !== false) await takeTurn(transaction)
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
    run: async (operation, args, meta) => {
      for (let retries = 0; ; retries++) {
        try {
          const { result, changes } = await runOnce(operation, args, meta)
          if (changes.length > 0) {
            follower.noteOwn(changes.length)
            tell(changes)
            for (const listener of ownListeners) listener(changes, meta)
          }
          return result as never
        } catch (error) {
          if (error instanceof AppError) throw error
          const code = String((error as { code?: unknown }).code)
          // After a failover these lead to a standby; others may lead to the one that took its place.
          if (code === READ_ONLY) dropIdle()
          const collided = RETRYABLE.has(code)
          if (collided && retries < MAX_RETRIES) {
            await sleep(Math.random() * RETRY_PAUSE_MS * 2 ** retries)
            continue
          }
          if (collided || isConnectionProblem(error))
            throw new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
          throw error
        }
      }
    },
    onChange: (listener) => void listeners.push(listener),
    onOwnChange: (listener) => void ownListeners.push(listener),
    close: async () => {
      await settleWithin(CLOSE_WITHIN_MS, [follower.stop(), db.destroy()])
    },
  }
}

/** A notification holds 8,000 bytes; a longer list of changes means: forget what you remember. */
const MAX_NOTIFIED_CHANGES = 40

function notification(nodeId: string, changes: readonly Change[]): string {
  const told = changes.map(({ entity, id, action }) => ({ entity, id, action }))
  const notification: Notification = {
    from: nodeId,
    changes: told.length > MAX_NOTIFIED_CHANGES ? 'everything' : told,
    count: told.length,
  }
  return JSON.stringify(notification)
}
