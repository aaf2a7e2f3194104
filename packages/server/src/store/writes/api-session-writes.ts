import { insertRow, prepared, preparedForIds } from '../prepared.ts'
import type { ApiSessionRow } from '../schema.ts'
import type { StoreDialect, Transaction } from '../transaction.ts'

const ENTITY = 'apiSessions'
const SURPLUS_BATCH = 100

export interface NewApiSession {
  readonly id: string
  readonly tokenDigest: string
  readonly identityId: string
  readonly authenticatorId: string
  readonly ipAddress: string
  readonly configTypes: readonly string[]
  readonly expiresAt: number
  readonly endsAt: number
}

/** The table or view that indexes sessions by identity. */
const OWNERS = { sqlite: 'filed_sessions', postgres: 'session_owners' } as const

function forEachDialect<Result>(
  build: (owners: (typeof OWNERS)[StoreDialect]) => Result,
): Record<StoreDialect, Result> {
  return { sqlite: build(OWNERS.sqlite), postgres: build(OWNERS.postgres) }
}

const SESSION_COUNT = forEachDialect((owners) =>
  prepared(1, (db, identityId: string) =>
    db
      .selectFrom(owners)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('identity_id', '=', identityId),
  ),
)

const OLDEST_SESSIONS = forEachDialect((owners) =>
  prepared(2, (db, identityId: string, count: number) =>
    db
      .selectFrom('api_sessions')
      .select(['id', 'identity_id', 'ip_address'])
      .where('id', 'in', (eb) =>
        eb
          .selectFrom(owners)
          .select('session_id')
          .where('identity_id', '=', identityId)
          .orderBy('created_at')
          .orderBy('session_id', 'desc')
          .limit(count),
      ),
  ),
)

/** Not reported as a change: caches load a session at its first use. Call `countSessionsBeforeStart` first. */
export async function insertSession(tx: Transaction, session: NewApiSession): Promise<void> {
  const { db, now, sessionIndexer } = tx
  await insertRow(db, 'api_sessions', {
    id: session.id,
    token_digest: session.tokenDigest,
    identity_id: session.identityId,
    authenticator_id: session.authenticatorId,
    ip_address: session.ipAddress,
    config_types: JSON.stringify(session.configTypes),
    last_activity_at: now,
    expires_at: session.expiresAt,
    ends_at: session.endsAt,
    tags: '{}',
    created_at: now,
    updated_at: now,
  })
  sessionIndexer?.noteStarted(session.identityId)
}

/** How many sessions an identity has, without the one that is about to be inserted. */
export async function countSessionsBeforeStart(tx: Transaction, identityId: string): Promise<number> {
  const { sessionCounts } = tx
  const count = sessionCounts?.get(identityId) ?? (await countSessions(tx, identityId))
  sessionCounts?.noteStarted(identityId, count)
  return count
}

async function countSessions({ db, dialect, sessionIndexer }: Transaction, identityId: string): Promise<number> {
  sessionIndexer?.indexIdentity(identityId)
  const [counted] = await SESSION_COUNT[dialect](db, identityId)
  return counted?.count ?? 0
}

/** Ends the oldest sessions of an identity, 100 at most. */
export async function deleteOldestSessions(tx: Transaction, identityId: string, surplus: number): Promise<void> {
  const { db, dialect, sessionIndexer } = tx
  sessionIndexer?.indexIdentity(identityId)
  await deleteSessions(tx, await OLDEST_SESSIONS[dialect](db, identityId, Math.min(surplus, SURPLUS_BATCH)))
}

interface SessionSelection {
  /** Only sessions opened with this authenticator. */
  readonly authenticatorId?: string
  /** Only sessions opened before this time. */
  readonly openedBefore?: number
}

/** Ends the selected sessions of an identity, by default all. */
export async function deleteSessionsOf(
  tx: Transaction,
  identityId: string,
  { authenticatorId, openedBefore }: SessionSelection = {},
): Promise<void> {
  const { db, dialect, sessionIndexer } = tx
  sessionIndexer?.indexIdentity(identityId)
  const ended = await db
    .deleteFrom('api_sessions')
    .where('id', 'in', (eb) =>
      eb.selectFrom(OWNERS[dialect]).select('session_id').where('identity_id', '=', identityId),
    )
    .$if(authenticatorId !== undefined, (query) => query.where('authenticator_id', '=', authenticatorId ?? ''))
    .$if(openedBefore !== undefined, (query) => query.where('created_at', '<', openedBefore ?? 0))
    .returning(['id', 'identity_id', 'ip_address'])
    .execute()
  reportDeleted(tx, ended)
}

type EndedSession = Pick<ApiSessionRow, 'id' | 'identity_id' | 'ip_address'>

const deleteByIds = preparedForIds(0, (db, ids) => db.deleteFrom('api_sessions').where('id', 'in', ids))

export async function deleteSessions(tx: Transaction, sessions: readonly EndedSession[]): Promise<void> {
  if (sessions.length === 0) return
  await deleteByIds(
    tx.db,
    sessions.map(({ id }) => id),
  )
  reportDeleted(tx, sessions)
}

function reportDeleted({ changed, sessionCounts }: Transaction, sessions: readonly EndedSession[]): void {
  for (const { id, identity_id: identityId, ip_address: ipAddress } of sessions) {
    sessionCounts?.noteEnded(identityId)
    changed({ entity: ENTITY, id, action: 'deleted', session: { identityId, ipAddress } })
  }
}

export async function setSessionExpiry(tx: Transaction, id: string, expiresAt: number): Promise<void> {
  await tx.db
    .updateTable('api_sessions')
    .set({ last_activity_at: tx.now, expires_at: expiresAt })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Records that this session has passed the second factor of a TOTP enrollment. */
export async function setPassedTotp(tx: Transaction, id: string, totpId: string): Promise<void> {
  await tx.db.updateTable('api_sessions').set({ passed_totp_id: totpId }).where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}
