import type { Scheduler } from '../../platform/scheduler.ts'
import type { ChangeListener } from '../change.ts'
import type { EntryRange, Notification } from './notification.ts'
import { ReceivedEntries } from './received-entries.ts'

/** A connection on which the notifications of other nodes arrive, in the order of their commits. */
export interface FeedConnection {
  /** The number of the newest entry of the change log. Rejects when the database does not respond, or is a standby. */
  newest(): Promise<number>
  /** Which of these entries of the change log exist. */
  findEntries(numbers: readonly number[]): Promise<number[]>
  end(): Promise<void>
}

export interface FeedListener {
  onNotification(notification: Notification): void
  /** Called when the connection breaks or ends. */
  onLost(): void
}

export interface ChangeFeedOptions {
  /** Opens a connection that listens. */
  connect(listener: FeedListener): Promise<FeedConnection>
  readonly scheduler: Scheduler
  readonly nodeId: string
  /** How long caches stay valid without a connection. */
  readonly staleMs: number
  readonly publish: ChangeListener
  onWarning(message: string): void
}

const RECONNECT_MS = 500
/** Two intervals and a timeout are the second that D13 allows: a heartbeat finds what was missed before the last one. */
const HEARTBEAT_MS = 300
const HEARTBEAT_TIMEOUT_MS = 400
const MAX_STALE_MS = 1_000
/** More missing entries are not looked up one by one. */
const MAX_LOOKED_UP = 1_000
/** Longer than a write takes from the number of its entry to its commit. */
const MAX_COMMIT_MS = 30_000

/** A heartbeat: when it was sent, and the newest entry of the change log at some time after that. */
interface Heartbeat {
  readonly sentAt: number
  readonly newest: number
}

/**
 * Publishes the writes of other nodes. A heartbeat on the same connection reads the newest entry of the change log: no response means that the
 * connection is lost, and an entry that is still unknown at the next heartbeat that its notification was missed, which clears all caches. A number
 * without an entry is that of a write that was rolled back: others could clear the caches with writes that fail. Caches are also cleared when it is
 * not known for too long whether they are up to date.
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions
  readonly #received = new ReceivedEntries()
  #connection: FeedConnection | undefined
  #isConnecting = false
  #isStopped = false
  #last: Heartbeat = { sentAt: 0, newest: 0 }
  /** The caches hold no row that was changed before this time. */
  #freshAt: number
  #cancelClear = (): void => {}
  #cancelNext = (): void => {}

  private constructor(options: ChangeFeedOptions) {
    this.#options = options
    this.#freshAt = options.scheduler.elapsedMs()
  }

  /** Rejects when the first connection cannot be opened. Lost connections are opened again. */
  static async start(options: ChangeFeedOptions): Promise<ChangeFeed> {
    const feed = new ChangeFeed(options)
    await feed.#connect()
    feed.#scheduleClear()
    return feed
  }

  /** Notes change-log entries of this node, whose notifications are ignored. */
  noteOwn(entries: readonly number[]): void {
    this.#note(entries.map((entry) => [entry, entry]))
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#cancelClear()
    this.#cancelNext()
    await this.#connection?.end()
  }

  async #connect(): Promise<void> {
    const { connect, scheduler } = this.#options
    let connection: FeedConnection | undefined
    let isLost = false
    this.#isConnecting = true
    try {
      connection = await connect({
        onNotification: (notification) => this.#receive(notification),
        onLost: () => {
          isLost = true
          if (this.#connection && this.#connection === connection) this.#lose()
        },
      })
      const sentAt = scheduler.elapsedMs()
      const newest = await connection.newest()
      if (isLost || this.#isStopped) throw new Error('the connection has ended')
      this.#received.continueAfter(newest)
      this.#last = { sentAt, newest }
      this.#connection = connection
      this.#scheduleHeartbeat(connection, HEARTBEAT_MS)
    } catch (error) {
      this.#received.clear()
      connection?.end().catch(() => {})
      throw error
    } finally {
      this.#isConnecting = false
    }
  }

  #reconnect(): void {
    this.#connect().then(
      () => this.#clear(),
      () => this.#reconnectLater(),
    )
  }

  #reconnectLater(): void {
    if (this.#isStopped) return
    this.#cancelNext = this.#options.scheduler.after(RECONNECT_MS, () => this.#reconnect())
  }

  #lose(): void {
    this.#connection = undefined
    this.#cancelNext()
    if (this.#isStopped) return
    this.#received.clear()
    this.#options.onWarning('lost the database connection that receives changes, reconnecting')
    this.#scheduleClear()
    this.#reconnectLater()
  }

  #receive({ from, changes, entries }: Notification): void {
    if (from === this.#options.nodeId) return
    this.#note(entries)
    this.#options.publish(changes)
  }

  #note(entries: readonly EntryRange[]): void {
    // Without a connection they would only accumulate: the next one continues after all of them.
    if (this.#connection || this.#isConnecting) for (const range of entries) this.#received.note(range)
  }

  #scheduleHeartbeat(connection: FeedConnection, ms: number): void {
    this.#cancelNext = this.#options.scheduler.after(ms, () => {
      this.#beat(connection).catch(() => {
        if (this.#connection === connection) this.#lose()
        connection.end().catch(() => {})
      })
    })
  }

  async #beat(connection: FeedConnection): Promise<void> {
    const { scheduler } = this.#options
    const sentAt = scheduler.elapsedMs()
    const newest = await this.#withTimeout(connection.newest())
    if (this.#connection !== connection || this.#isStopped) return
    const last = this.#last
    this.#last = { sentAt, newest }
    const isComplete = await this.#hasAllUntil(connection, last.newest)
    if (this.#connection !== connection || this.#isStopped) return
    if (isComplete) this.#prove(last.sentAt)
    else this.#clearMissed(newest)
    this.#scheduleHeartbeat(connection, Math.max(0, sentAt + HEARTBEAT_MS - scheduler.elapsedMs()))
  }

  /** Whether all entries until the newest one at the last heartbeat were received: their notifications have arrived by now. */
  async #hasAllUntil(connection: FeedConnection, newest: number): Promise<boolean> {
    const missing = this.#received.missingUntil(newest, MAX_LOOKED_UP)
    if (missing.length === 0) return true
    if (missing.length === MAX_LOOKED_UP) return false
    const existing = await this.#withTimeout(connection.findEntries(missing))
    if (existing.some((entry) => !this.#received.has(entry))) return false
    const now = this.#options.scheduler.elapsedMs()
    this.#received.passOver(newest, now)
    this.#received.forgetPassedOver(now - MAX_COMMIT_MS)
    return true
  }

  /** Notes that the caches hold no row that was changed before this time. */
  #prove(freshAt: number): void {
    this.#freshAt = Math.max(this.#freshAt, freshAt)
    this.#scheduleClear()
  }

  #clearMissed(newest: number): void {
    this.#options.onWarning('notifications of changes were missed, so all caches were cleared')
    this.#received.continueAfter(newest)
    this.#clear()
  }

  /** Clears the caches when they may hold a row that is too old; again and again while there is no connection. */
  #scheduleClear(): void {
    const { scheduler, staleMs } = this.#options
    const validMs = this.#connection ? Math.max(staleMs, MAX_STALE_MS) : staleMs
    this.#cancelClear()
    this.#cancelClear = scheduler.after(Math.max(0, this.#freshAt + validMs - scheduler.elapsedMs()), () =>
      this.#clear(),
    )
  }

  #clear(): void {
    if (this.#isStopped) return
    this.#freshAt = this.#options.scheduler.elapsedMs()
    this.#options.publish('everything')
    this.#scheduleClear()
  }

  async #withTimeout<T>(work: Promise<T>): Promise<T> {
    const { promise: late, reject } = Promise.withResolvers<never>()
    const cancel = this.#options.scheduler.after(HEARTBEAT_TIMEOUT_MS, () => {
      // A response that arrived while this process was busy is read first.
      setImmediate(reject, new Error('no response'))
    })
    try {
      return await Promise.race([work, late])
    } finally {
      cancel()
    }
  }
}
