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
export async function followChanges({ url, nodeId, tell, onProblem }: FollowOptions): Promise<{ stop(): Promise<void> }> {
  let stopped = false
  let client: pg.Client | undefined
  let retry: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, application_name: 'countersign-changes' })
    let lost = false
    const onLost = (): void => {
      if (lost || stopped) return
      lost = true
      onProblem('the connection that carries changes was lost, trying again')
      retry = setTimeout(() => void reconnect(), RECONNECT_MS)
    }
    next.on('error', onLost)
    next.on('end', onLost)
    next.on('notification', ({ payload }) => {
      const { from, changes } = JSON.parse(payload ?? '{}') as { from?: string; changes?: Change[] | 'everything' }
      if (from !== nodeId && changes) tell(changes)
    })
    await next.connect()
    await next.query(`listen ${NOTIFY_CHANNEL}`)
    client = next
  }

  const reconnect = async (): Promise<void> => {
    try {
      await connect()
      tell('everything')
    } catch {
      if (!stopped) retry = setTimeout(() => void reconnect(), RECONNECT_MS)
    }
  }

  await connect()
  return {
    stop: async () => {
      stopped = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}
