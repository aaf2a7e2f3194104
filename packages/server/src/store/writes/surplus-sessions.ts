import { prepared } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'
import { deleteSessions, type EndedSession } from './end-sessions.ts'

/** The least recently used session is searched among this many of the oldest ones: a bound for limits above the default. */
const MAX_COMPARED = 1_000
const SURPLUS_BATCH = 100

const leastUsed = prepared(1, (db, identityId: string) =>
  db
    .selectFrom((oldest) =>
      oldest
        .selectFrom('api_sessions')
        .select(['id', 'identity_id', 'ip_address', 'last_activity_at', 'created_at'])
        .where('identity_id', '=', identityId)
        .orderBy('created_at')
        .limit(MAX_COMPARED)
        .as('oldest'),
    )
    .select(['id', 'identity_id', 'ip_address', 'last_activity_at'])
    .orderBy('last_activity_at')
    .orderBy('created_at')
    .orderBy('id', 'desc')
    .limit(SURPLUS_BATCH),
)

const lastUse = prepared(1, (db, id: string) =>
  db.selectFrom('api_sessions').select(['id', 'identity_id', 'ip_address', 'last_activity_at']).where('id', '=', id),
)

/** Ends the least recently used sessions of an identity, 100 at most. Uses that are not written yet do not count. */
export async function endSurplusSessions(tx: Transaction, identityId: string, surplus: number): Promise<void> {
  await deleteSessions(tx, (await findStillIdle(tx, identityId, surplus)) ?? (await findIdle(tx, identityId, surplus)))
}

/**
 * The sessions that were the least recently used ones earlier, if they have not been used since: other sessions can only have been used more
 * recently. Undefined when there are not enough.
 */
async function findStillIdle(
  { db, idleSessions }: Transaction,
  identityId: string,
  count: number,
): Promise<readonly EndedSession[] | undefined> {
  const idle: EndedSession[] = []
  for (;;) {
    if (idle.length === count) return idle
    const known = idleSessions?.takeNext(identityId)
    if (!known) return undefined
    const [row] = await lastUse(db, known.id)
    if (row?.last_activity_at === known.last_activity_at) idle.push(row)
  }
}

async function findIdle(tx: Transaction, identityId: string, count: number): Promise<readonly EndedSession[]> {
  const { db, idleSessions } = tx
  const idle = await leastUsed(db, identityId)
  idleSessions?.set(identityId, idle.slice(count))
  return idle.slice(0, count)
}
