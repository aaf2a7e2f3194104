import pg from 'pg'
import type { Change, ChangeListener } from '../change.ts'

export const NOTIFY_CHANNEL = 'countersign_changes'

const RECONNECT_MS = 500

interface FollowOptions {
  readonly url: string
  readonly nodeId: string
  readonly tell: ChangeListener
  onProblem(message: string): void
}

/**
 * Hears of the writes of other nodes. PostgreSQL delivers notifications in the order of commits; after a lost connection
 * some may be missing, so everything remembered is forgotten.
 */
export async function followChanges(options: FollowOptions): Promise<{ stop(): Promise<void> }> {
  let isStopped = false
  let client = await listen(options, onLost)
  let retry: NodeJS.Timeout | undefined

  function onLost(): void {
    if (isStopped) return
    options.onProblem('the connection that carries changes was lost, trying again')
    // What others change from now on is not heard of: nothing remembered may be believed.
    options.tell('everything')
    retry = setTimeout(reconnect, RECONNECT_MS)
  }

  function reconnect(): void {
    listen(options, onLost).then(
      (next) => {
        client = next
        if (isStopped) void next.end()
        else options.tell('everything')
      },
      () => {
        if (!isStopped) retry = setTimeout(reconnect, RECONNECT_MS)
      },
    )
  }

  return {
    stop: async () => {
      isStopped = true
      clearTimeout(retry)
      await client.end()
    },
  }
}

/** Connects and listens; from then on `onLost` is called once if the connection breaks. */
async function listen({ url, nodeId, tell }: FollowOptions, onLost: () => void): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: 'countersign-changes',
  })
  let isListening = false
  const lost = (): void => {
    if (!isListening) return
    isListening = false
    onLost()
  }
  client.on('error', lost)
  client.on('end', lost)
  client.on('notification', ({ payload }) => {
    const { from, changes } = JSON.parse(payload ?? '{}') as { from?: string; changes?: Change[] | 'everything' }
    if (from !== nodeId && changes) tell(changes)
  })
  await client.connect()
  await client.query(`listen ${NOTIFY_CHANNEL}`)
  isListening = true
  return client
}
