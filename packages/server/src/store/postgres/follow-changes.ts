import pg from 'pg'
import type { Change, ChangeListener } from '../change.ts'

export const NOTIFY_CHANNEL = 'countersign_changes'

/** What a commit publishes to the other nodes. */
export interface Notification {
  readonly from: string
  /** `everything` when there are more than a notification can hold. */
  readonly changes: readonly Change[] | 'everything'
  /** The number of change-log entries in the commit. */
  readonly count: number
}

const RECONNECT_MS = 500
const CONNECT_TIMEOUT_MS = 2_000
/** The heartbeat detects a connection that is lost without an error; interval and timeout together stay below the second that D13 allows. */
const HEARTBEAT_MS = 400
const HEARTBEAT_TIMEOUT_MS = 400

export interface ChangeFollower {
  /** Counts change-log entries of this node, whose notifications are ignored. */
  noteOwn(count: number): void
  stop(): Promise<void>
}

interface FollowOptions {
  readonly url: string
  readonly nodeId: string
  readonly publish: ChangeListener
  /** How long caches stay valid after the last successful heartbeat. */
  readonly staleMs: number
  onWarning(message: string): void
}

/**
 * Publishes the writes of other nodes. PostgreSQL delivers notifications in commit order. A heartbeat on the same connection reads the newest
 * entry of the change log: no response means that the connection is lost, and more entries than were received that notifications were missed.
 * Missed notifications clear all caches at once, a lost connection after `staleMs`.
 */
export async function followChanges(options: FollowOptions): Promise<ChangeFollower> {
  let isStopped = false
  let retry: NodeJS.Timeout | undefined
  let clear: NodeJS.Timeout | undefined
  const counts = { own: 0 }
  let listener = await listen(options, counts, onLost)

  function onLost(lastResponseAt: number): void {
    if (isStopped) return
    options.onWarning('lost the database connection that receives changes, reconnecting')
    clearLater(Math.max(0, lastResponseAt + options.staleMs - performance.now()))
    retry = setTimeout(reconnect, RECONNECT_MS)
  }

  /** Clears the caches again and again while disconnected: changes by other nodes are not received, so no cached row may grow old. */
  function clearLater(ms: number): void {
    clear = setTimeout(() => {
      options.publish('everything')
      clearLater(options.staleMs)
    }, ms)
  }

  function reconnect(): void {
    listen(options, counts, onLost).then(
      (next) => {
        clearTimeout(clear)
        listener = next
        if (isStopped) void next.end()
        else options.publish('everything')
      },
      () => {
        if (!isStopped) retry = setTimeout(reconnect, RECONNECT_MS)
      },
    )
  }

  return {
    noteOwn: (count) => {
      counts.own += count
    },
    stop: async () => {
      isStopped = true
      clearTimeout(retry)
      clearTimeout(clear)
      await listener.end()
    },
  }
}

/** Connects and listens. Calls `onLost` once when the connection breaks, with the time of the last response. */
async function listen(
  { url, nodeId, publish, onWarning }: FollowOptions,
  counts: { own: number },
  onLost: (lastResponseAt: number) => void,
): Promise<{ end(): Promise<void> }> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'countersign-changes',
  })
  let isListening = false
  let lastResponseAt = 0
  let received = 0
  let timer: NodeJS.Timeout | undefined

  const lost = (): void => {
    if (!isListening) return
    isListening = false
    clearTimeout(timer)
    onLost(lastResponseAt)
  }
  client.on('error', lost)
  client.on('end', lost)
  client.on('notification', ({ payload }) => {
    const { from, changes, count = 0 } = JSON.parse(payload ?? '{}') as Partial<Notification>
    if (from === nodeId || !changes) return
    received += count
    publish(changes)
  })

  /** The newest entry of the change log, and the number of entries received so far. */
  const readNewest = async () => {
    const { rows } = await client.query(NEWEST)
    if (rows[0].standby) throw new Error('the database is a standby now')
    return { seq: Number(rows[0].seq), received: received + counts.own }
  }
  let seen = { seq: 0, received: 0 }
  let before = seen

  const heartbeat = async (): Promise<void> => {
    const now = await withTimeout(HEARTBEAT_TIMEOUT_MS, readNewest())
    // Notifications of entries before the last heartbeat have arrived by now. A rolled-back write leaves a gap in the sequence too; that only
    // clears the caches once more.
    if (before.seq - seen.seq > now.received - seen.received) {
      onWarning('notifications of changes were missed, so all caches were cleared')
      publish('everything')
      seen = before = now
    }
    before = now
    lastResponseAt = performance.now()
  }

  const scheduleHeartbeat = (): void => {
    timer = setTimeout(() => {
      heartbeat().then(
        () => {
          if (isListening) scheduleHeartbeat()
        },
        () => {
          lost()
          client.end().catch(() => {})
        },
      )
    }, HEARTBEAT_MS)
  }

  await client.connect()
  await client.query(`listen ${NOTIFY_CHANNEL}`)
  seen = before = await readNewest()
  lastResponseAt = performance.now()
  isListening = true
  scheduleHeartbeat()
  return {
    end: async () => {
      isListening = false
      clearTimeout(timer)
      await client.end()
    },
  }
}

const NEWEST = 'select coalesce(max(seq), 0) as seq, pg_is_in_recovery() as standby from change_log'

async function withTimeout<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  // setImmediate: a response that arrived while this process was busy is read first.
  const timer = setTimeout(() => setImmediate(reject, new Error('no response')), ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
