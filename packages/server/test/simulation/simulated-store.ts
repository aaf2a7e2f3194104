import { AppError } from '@countersign/core'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { Scheduler } from '../../src/platform/scheduler.ts'
import type { ChangeListener } from '../../src/store/change.ts'
import type { DirectConnection } from '../../src/store/direct-connection.ts'
import type { AnyOperation } from '../../src/store/operation.ts'
import type { OperationMeta } from '../../src/store/operation-meta.ts'
import { ChangeFeed, type FeedConnection } from '../../src/store/postgres/change-feed.ts'
import { buildNotifications } from '../../src/store/postgres/notification.ts'
import { PublishedWrites } from '../../src/store/postgres/published-writes.ts'
import { createSqliteKysely } from '../../src/store/sqlite/sqlite-dialect.ts'
import type { Store } from '../../src/store/store.ts'
import type { Link } from './link.ts'
import type { Random } from './random.ts'
import { connectionLost, type SharedDatabase } from './shared-database.ts'
import type { Notifier } from './simulated-feed.ts'

/** Parts of a store that a test may replace by broken ones. */
export interface StoreParts {
  readonly feedConnection?: (connection: FeedConnection) => FeedConnection
  readonly publish?: (publish: ChangeListener, scheduler: Scheduler) => ChangeListener
  readonly operation?: (operation: AnyOperation) => AnyOperation
  /** Whether a write resolves also when its connection is lost. */
  readonly acknowledgesLost?: boolean
}

interface SimulatedStoreOptions {
  readonly database: SharedDatabase
  readonly notifier: Notifier
  readonly link: Link
  readonly scheduler: Scheduler
  readonly random: Random
  readonly nodeId: string
  readonly parts: StoreParts
  /** How many writes lose their connection before the commit, and how many after it. */
  readonly failureRate: number
  /** Called before an operation resolves, with the number of its commit. */
  onAcknowledged(commit: number): void
}

const STALE_MS = 1_000
const UNAVAILABLE_CODE = '25006'

/**
 * The store of a node: the change feed and the publishing of writes are those of PostgreSQL, the statements go over a simulated link to the
 * shared database.
 */
export async function openSimulatedStore(options: SimulatedStoreOptions): Promise<Store> {
  const { database, notifier, link, scheduler, random, nodeId, parts, failureRate, onAcknowledged } = options
  const listeners: ChangeListener[] = []
  const publishAll: ChangeListener = (changes) => {
    for (const listener of listeners) listener(changes)
  }
  const publish = parts.publish?.(publishAll, scheduler) ?? publishAll
  const feed = await ChangeFeed.start({
    connect: async (listener) => {
      const connection = await notifier.connect(link, listener)
      return parts.feedConnection?.(connection) ?? connection
    },
    scheduler,
    nodeId,
    staleMs: STALE_MS,
    publish,
    onWarning: () => {},
  })
  const commits = new WeakMap<OperationMeta, number>()
  const writes = new PublishedWrites({
    feed,
    publish,
    publishOwn: () => {},
    commit: (operation, args, meta) =>
      link.request(async () => {
        if (notifier.isStandby) throw Object.assign(new Error('read-only'), { code: UNAVAILABLE_CODE })
        const isAborted = random.isTrue(failureRate)
        const committed = await database.commit(operation, args, meta, { isAborted })
        for (const notification of buildNotifications(nodeId, committed)) notifier.notify(notification)
        commits.set(meta, committed.commit)
        if (random.isTrue(failureRate)) throw connectionLost()
        return committed
      }),
    onFailure: () => {},
  })
  const run: Store['run'] = async (operation, args, meta) => {
    const running = writes.run(parts.operation?.(operation) ?? operation, args, meta)
    const result = await (parts.acknowledgesLost ? running.catch(acknowledgeLost) : running)
    onAcknowledged(commits.get(meta) ?? 0)
    return result as never
  }
  return {
    dialect: 'sqlite',
    db: createSqliteKysely(remoteConnection(link, database)),
    readLong: () => {
      throw new AppError('TIMEOUT')
    },
    run,
    onChange: (listener) => void listeners.push(listener),
    onOwnChange: () => {},
    close: () => feed.stop(),
  }
}

/** A connection for reading, each statement of which crosses a link. */
function remoteConnection(link: Link, database: SharedDatabase): DatabaseConnection & DirectConnection {
  const read = <Result>(query: () => Result | Promise<Result>) => link.request(() => database.read(query))
  return {
    executeQuery: <Row>(query: CompiledQuery): Promise<QueryResult<Row>> =>
      read(() => database.connection.executeQuery<Row>(query)),
    rowsOf: (sql, parameters) => read(() => database.connection.rowsOf(sql, parameters)),
    streamQuery: () => {
      throw new TypeError('lists are read in pages')
    },
  }
}

function acknowledgeLost(error: unknown): object {
  if (error instanceof AppError && error.code === 'STORE_UNAVAILABLE') return {}
  throw error
}
