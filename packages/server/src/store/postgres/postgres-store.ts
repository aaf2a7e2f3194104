import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@countersign/core'
import { FairQueue } from '../../platform/fair-queue.ts'
import { systemScheduler } from '../../platform/scheduler.ts'
import { settleWithin } from '../../platform/settle-within.ts'
import type { ChangeListener, OwnChangeListener } from '../change.ts'
import type { ChangeSharing } from '../change-sharing.ts'
import { LONG_READ_MS, LONG_READS_AT_ONCE, LongReadQueue, longReadTimeout } from '../long-read.ts'
import { migrate } from '../migrations/migrate.ts'
import { POSTGRES_TYPES } from '../migrations/migration.ts'
import type { AnyOperation } from '../operation.ts'
import type { Store } from '../store.ts'
import { ChangeFeed } from './change-feed.ts'
import { ClientPool } from './client-pool.ts'
import { isUnavailable, READ_ONLY, STATEMENT_CHANGED, STATEMENT_TIMEOUT } from './connection-error.ts'
import { buildNotifications, type LoggedChanges, NOTIFY_CHANNEL } from './notification.ts'
import { CONNECT_TIMEOUT_MS, type PostgresClient } from './postgres-client.ts'
import { createPostgresKysely } from './postgres-dialect.ts'
import { connectPostgresFeed } from './postgres-feed.ts'
import { PublishedWrites } from './published-writes.ts'
import { WriteLane } from './write-lane.ts'

/** Keys of advisory locks, unlikely to collide with those of other programs. */
const LOCK_SPACE = 1129270867
const LOCKS = { migration: 1, write: 2 }

/** Until the end of the transaction, over all nodes. */
const lock = (kind: 'exclusive' | 'shared', key: number): string =>
  `select pg_advisory_xact_lock${kind === 'shared' ? '_shared' : ''}(${LOCK_SPACE}, ${key})`

const STATEMENT_MS = 10_000
const MAX_CONNECTIONS = 10
/** Reads on one connection before another is opened. */
const READS_PER_CONNECTION = 8
/** While one group of logins commits, the next runs. */
const LOGIN_CONNECTIONS = 2
const MAX_LOGINS_PER_COMMIT = 64
/** Logins of all nodes wait for the commit of such a group. */
const MAX_CHANGES_PER_COMMIT = 16
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
  const pools = createPools(options)
  try {
    return await openOn(pools, options)
  } catch (error) {
    await pools.end()
    throw error
  }
}

type Pools = ReturnType<typeof createPools>

/** Connections of their own for long reads, changes and logins: however many there are of one, the others have theirs. */
function createPools({ url, onWarning, maxConnections = MAX_CONNECTIONS, longReadMs = LONG_READ_MS }: PostgresOptions) {
  const create = (name: string, limits: Partial<ConstructorParameters<typeof ClientPool>[0]> = {}) =>
    new ClientPool({ url, onWarning, name, max: 1, enoughPending: 1, statementMs: STATEMENT_MS, ...limits })
  const others = LONG_READS_AT_ONCE + LOGIN_CONNECTIONS + 1
  const pools = {
    reads: create('countersign', { max: Math.max(1, maxConnections - others), enoughPending: READS_PER_CONNECTION }),
    lists: create('countersign-lists', { max: LONG_READS_AT_ONCE, statementMs: longReadMs }),
    changes: create('countersign-changes'),
    logins: Array.from({ length: LOGIN_CONNECTIONS }, () => create('countersign-logins')),
  }
  const all = Object.values(pools).flat()
  return {
    ...pools,
    /** Makes new connections replace those that are open; statements under way continue. */
    drop: () => {
      for (const pool of all) pool.drop()
    },
    end: async () => {
      await Promise.all(all.map((pool) => pool.end()))
    },
  }
}

async function openOn(pools: Pools, options: PostgresOptions): Promise<Store> {
  await migrateOn(await pools.changes.connect(), options.now)

  const listeners: ChangeListener[] = []
  const ownListeners: OwnChangeListener[] = []
  const publish: ChangeListener = (changes) => {
    for (const listener of listeners) listener(changes)
  }
  options.sharing?.onAnnounced(publish)
  const { url, nodeId, sharing, onWarning, staleMs = STALE_MS } = options
  const feed = await ChangeFeed.start({
    connect: (listener) => connectPostgresFeed(url, listener),
    scheduler: systemScheduler,
    nodeId,
    staleMs,
    publish,
    onWarning,
  })
  const lanes = createLanes(pools, nodeId)
  const laneOf = ({ needsWriteLock }: AnyOperation) => (needsWriteLock === false ? lanes.logins : lanes.changes)
  const writes = new PublishedWrites({
    feed,
    publish,
    publishOwn: (changes, meta) => {
      for (const listener of ownListeners) listener(changes, meta)
    },
    sharing,
    commit: (operation, args, meta) => {
      const { lane, queue } = laneOf(operation)
      return queue.run(meta.organizationId ?? meta.signerId ?? meta.countedAs ?? meta.actorId, () =>
        lane.run(operation, args, meta),
      )
    },
    onFailure: (operation, error) => {
      const code = codeOf(error)
      // After a failover the connections lead to the standby; new ones may reach the new primary.
      if (code === READ_ONLY || code === STATEMENT_CHANGED) pools.drop()
      if (!isUnavailable(error)) return
      // Each of them would wait for a connection in turn, long after its request was answered.
      const unavailable = new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
      laneOf(operation).queue.rejectOlderThan(CONNECT_TIMEOUT_MS, unavailable)
    },
  })
  const longReads = new LongReadQueue()

  return {
    dialect: 'postgres',
    db: createPostgresKysely(async (text, values, { isPrepared }) => {
      try {
        return await pools.reads.query(text, values, { isPrepared })
      } catch (error) {
        if (codeOf(error) !== STATEMENT_CHANGED) throw error
        pools.drop()
        return pools.reads.query(text, values, { isPrepared: false })
      }
    }),
    readLong: (caller, { sql, parameters }, member = '') =>
      longReads.run(caller, member, async () => {
        try {
          return (await pools.lists.query(sql, parameters, { isPrepared: false })).rows
        } catch (error) {
          throw codeOf(error) === STATEMENT_TIMEOUT ? longReadTimeout() : error
        }
      }),
    run: async (operation, args, meta) => (await writes.run(operation, args, meta)) as never,
    onChange: (listener) => void listeners.push(listener),
    onOwnChange: (listener) => void ownListeners.push(listener),
    close: async () => {
      await settleWithin(CLOSE_TIMEOUT_MS, [feed.stop(), pools.end()])
    },
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null | undefined)?.code)

/** Less than the time after which PostgreSQL looks for deadlocks: a migration gives way to the requests of other nodes, never they to it. */
const MIGRATION_LOCK_TIMEOUT = '400ms'
const MIGRATION_TRIES = 100
const MIGRATION_PAUSE_MS = 200

/** Nodes of the previous release serve requests meanwhile: the migration is tried again when it would have to wait for their locks. */
async function migrateOn(client: PostgresClient, now: number): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await tryToMigrate(client, now)
    } catch (error) {
      if (tries === MIGRATION_TRIES || !LOCKED.has(codeOf(error))) throw error
      await sleep(MIGRATION_PAUSE_MS * (0.5 + Math.random()))
    }
  }
}

/** Lock not available, deadlock detected. */
const LOCKED: ReadonlySet<string> = new Set(['55P03', '40P01'])

async function tryToMigrate(client: PostgresClient, now: number): Promise<void> {
  const run = (text: string, values: readonly unknown[] = []) => client.query(text, values, { isPrepared: false })
  await run('begin')
  try {
    await run(lock('exclusive', LOCKS.migration))
    // Writes of other nodes wait for this lock as long as it takes, and for the lock of a table only briefly.
    await run(lock('exclusive', LOCKS.write))
    await run(`set local lock_timeout = '${MIGRATION_LOCK_TIMEOUT}'`)
    await migrate(createPostgresKysely(run), POSTGRES_TYPES, now)
    await run('commit')
  } catch (error) {
    await run('rollback').catch(() => {})
    throw error
  }
}

/**
 * Changes are serialized over all nodes, so that what an operation has read is still true when it commits. Logins, and other operations that
 * read only what they change, run beside each other, but not beside changes.
 */
function createLanes({ changes, logins }: Pools, nodeId: string) {
  const notify = (changes: LoggedChanges) =>
    buildNotifications(nodeId, changes).map((notification) => ({
      text: `select pg_notify('${NOTIFY_CHANNEL}', $1)`,
      values: [JSON.stringify(notification)],
    }))
  const createLane = (
    connections: readonly ClientPool[],
    lockStatement: string,
    { maxGroup, isConcurrent }: { readonly maxGroup: number; readonly isConcurrent: boolean },
  ) => ({
    lane: new WriteLane({ connections, lockStatement, maxGroup, isConcurrent, notify }),
    // Callers take turns, so that one of them fills at most half of a group.
    queue: new FairQueue({
      atOnce: maxGroup * connections.length,
      perKey: Math.ceil(maxGroup / 2),
      maxWaiting: MAX_WAITING_WRITES,
    }),
  })
  return {
    changes: createLane([changes], lock('exclusive', LOCKS.write), {
      maxGroup: MAX_CHANGES_PER_COMMIT,
      isConcurrent: false,
    }),
    logins: createLane(logins, lock('shared', LOCKS.write), { maxGroup: MAX_LOGINS_PER_COMMIT, isConcurrent: true }),
  }
}
