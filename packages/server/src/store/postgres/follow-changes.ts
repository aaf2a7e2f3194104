import pg from 'pg'
import type { Change, ChangeListener } from '../change.ts'

export const NOTIFY_CHANNEL = 'countersign_changes'

/** What a write tells the other nodes when it commits. */
export interface Notification {
  readonly from: string
  /** `everything` where there are more than a notification holds. */
  readonly changes: readonly Change[] | 'everything'
  /** How many entries of the change log it has made. */
  readonly count: number
}

const RECONNECT_MS = 500
const CONNECT_WITHIN_MS = 2_000
/** A connection that is lost without a word is found out by asking; both together stay below the second that D13 allows. */
const BEAT_MS = 400
const BEAT_WITHIN_MS = 400

export interface ChangeFollower {
  /** This node has made so many entries of the change log. */
  noteOwn(count: number): void
  stop(): Promise<void>
}

interface FollowOptions {
  readonly url: string
  readonly nodeId: string
  readonly tell: ChangeListener
  /** What is remembered is believed for so long after the database was last heard of. */
  readonly staleMs: number
  onProblem(message: string): void
}

/**
 * Hears of the writes of other nodes. PostgreSQL delivers notifications in the order of commits. As a safety net the same connection
 * is asked again and again for the newest entry of the change log: no answer means that it is lost, and more entries than were heard
 * of that some notifications were. Then everything that is remembered is forgotten, at once or when it has become too old.
 */
export async function followChanges(options: FollowOptions): Promise<ChangeFollower> {
  let isStopped = false
  let retry: NodeJS.Timeout | undefined
  let forget: NodeJS.Timeout | undefined
  const counts = { own: 0 }
  let listener = await listen(options, counts, onLost)

  function onLost(lastHeardAt: number): void {
    if (isStopped) return
    options.onProblem('the connection that carries changes was lost, trying again')
    forgetLater(Math.max(0, lastHeardAt + options.staleMs - performance.now()))
    retry = setTimeout(reconnect, RECONNECT_MS)
  }

  /** What others change meanwhile is not heard of: nothing remembered may be believed for long, nor what is read anew after that. */
  function forgetLater(ms: number): void {
    forget = setTimeout(() => {
      options.tell('everything')
      forgetLater(options.staleMs)
    }, ms)
  }

  function reconnect(): void {
    listen(options, counts, onLost).then(
      (next) => {
        clearTimeout(forget)
        listener = next
        if (isStopped) void next.end()
        else options.tell('everything')
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
      clearTimeout(forget)
      await listener.end()
    },
  }
}

/** Connects and listens; from then on `onLost` is called once if the connection breaks, with when it was last good. */
async function listen(
  { url, nodeId, tell, onProblem }: FollowOptions,
  counts: { own: number },
  onLost: (lastHeardAt: number) => void,
): Promise<{ end(): Promise<void> }> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    query_timeout: CONNECT_WITHIN_MS,
    keepAlive: true,
    application_name: 'countersign-changes',
  })
  let isListening = false
  let lastHeardAt = 0
  let heard = 0
  let timer: NodeJS.Timeout | undefined

  const lost = (): void => {
    if (!isListening) return
    isListening = false
    clearTimeout(timer)
    onLost(lastHeardAt)
  }
  client.on('error', lost)
  client.on('end', lost)
  client.on('notification', ({ payload }) => {
    const { from, changes, count = 0 } = JSON.parse(payload ?? '{}') as Partial<Notification>
    if (from === nodeId || !changes) return
    heard += count
    tell(changes)
  })

  /** The newest entry of the change log, and how many were heard of until now. */
  const look = async () => {
    const { rows } = await client.query(NEWEST)
    if (rows[0].standby) throw new Error('the database is a standby now')
    return { seq: Number(rows[0].seq), heard: heard + counts.own }
  }
  let seen = { seq: 0, heard: 0 }
  let before = seen

  const beat = async (): Promise<void> => {
    const now = await withinMs(BEAT_WITHIN_MS, look())
    // What was committed before the last look has been told by now. A write that was rolled back leaves a gap too, which costs no more
    // than reading everything anew.
    if (before.seq - seen.seq > now.heard - seen.heard) {
      onProblem('changes of other nodes were not told, so that everything is read anew')
      tell('everything')
      seen = before = now
    }
    before = now
    lastHeardAt = performance.now()
  }

  const beatLater = (): void => {
    timer = setTimeout(() => {
      beat().then(
        () => {
          if (isListening) beatLater()
        },
        () => {
          lost()
          client.end().catch(() => {})
        },
      )
    }, BEAT_MS)
  }

  await client.connect()
  await client.query(`listen ${NOTIFY_CHANNEL}`)
  seen = before = await look()
  lastHeardAt = performance.now()
  isListening = true
  beatLater()
  return {
    end: async () => {
      isListening = false
      clearTimeout(timer)
      await client.end()
    },
  }
}

const NEWEST = 'select coalesce(max(seq), 0) as seq, pg_is_in_recovery() as standby from change_log'

async function withinMs<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  // An answer that has arrived while this process was busy is read before.
  const timer = setTimeout(() => setImmediate(reject, new Error('no answer')), ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
