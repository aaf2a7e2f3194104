import pg from 'pg'
import type { FeedConnection, FeedListener } from './change-feed.ts'
import { NOTIFY_CHANNEL, parseNotification } from './notification.ts'

const CONNECT_TIMEOUT_MS = 2_000
const NEWEST = 'select coalesce(max(seq), 0) as seq, pg_is_in_recovery() as standby from change_log'
const FOUND = 'select seq from change_log where seq = any($1::bigint[])'

/** Opens a connection to PostgreSQL that listens to the notifications of all nodes. */
export async function connectPostgresFeed(
  url: string,
  { onNotification, onLost }: FeedListener,
): Promise<FeedConnection> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'countersign-feed',
  })
  client.on('error', onLost)
  client.on('end', onLost)
  client.on('notification', ({ payload }) => onNotification(parseNotification(payload)))
  try {
    await client.connect()
    await client.query(`listen ${NOTIFY_CHANNEL}`)
  } catch (error) {
    client.end().catch(() => {})
    throw error
  }
  return {
    newest: async () => {
      const { rows } = await client.query(NEWEST)
      if (rows[0].standby) throw new Error('the database is a standby now')
      return Number(rows[0].seq)
    },
    findEntries: async (numbers) => {
      const { rows } = await client.query(FOUND, [numbers])
      return rows.map(({ seq }) => Number(seq))
    },
    end: () => client.end(),
  }
}
