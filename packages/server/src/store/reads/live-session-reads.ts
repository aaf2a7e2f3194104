import type { Kysely } from 'kysely'
import { type StoredSession, sessionFromRow } from '../api-session-row.ts'
import type { Database } from '../schema.ts'

/** A session with what it rests on. */
export interface LiveSessionRow extends StoredSession {
  readonly identityId: string
  readonly tokenDigest: string
  readonly externalId: string | null
}

/** The sessions after `afterId` that have not expired, by id. */
export async function loadLiveSessions(
  db: Kysely<Database>,
  { now, afterId, limit }: { readonly now: number; readonly afterId: string; readonly limit: number },
): Promise<LiveSessionRow[]> {
  const rows = await db
    .selectFrom('api_sessions')
    .selectAll()
    .where('id', '>', afterId)
    .where('expires_at', '>', now)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    ...sessionFromRow(row),
    identityId: row.identity_id,
    tokenDigest: row.token_digest,
    externalId: row.external_id,
  }))
}
