import { AppError } from '@countersign/core'
import { isDisabled } from '../../store/identity-row.ts'
import { insertRow, prepared, preparedForIds } from '../../store/prepared.ts'
import type { ApiSessionRow } from '../../store/schema.ts'
import { MAX_UNWRITTEN_ACTIVITY_MS } from '../../store/session-activity.ts'
import type { StoreDialect, WriteContext, WriteOperation } from '../../store/write-operation.ts'
import { type ByWhom, getTouchableIdentity } from '../identity/touchable-identity.ts'

const ENTITY = 'apiSessions'

export interface NewApiSession {
  readonly id: string
  readonly tokenDigest: string
  readonly identityId: string
  readonly authenticatorId: string
  readonly ipAddress: string
  readonly configTypes: readonly string[]
  readonly expiresAt: number
  readonly endsAt: number
  readonly envInfo: Readonly<Record<string, string>> | undefined
  readonly sdkInfo: Readonly<Record<string, string>> | undefined
  /** More sessions than this and the identity's oldest end. */
  readonly maxPerIdentity: number
}

const SURPLUS_AT_ONCE = 100

/** Where all sessions of an identity are found by it, once they are filed. */
const OWNERS = { sqlite: 'filed_sessions', postgres: 'session_owners' } as const

const SESSION_COUNT = mapDialects((owners) =>
  prepared(1, (db, identityId: string) =>
    db
      .selectFrom(owners)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('identity_id', '=', identityId),
  ),
)

async function countSessions({ db, dialect, sessionFiling }: WriteContext, identityId: string): Promise<number> {
  sessionFiling?.fileOf(identityId)
  const [counted] = await SESSION_COUNT[dialect](db, identityId)
  return counted?.count ?? 0
}

const OLDEST_SESSIONS = mapDialects((owners) =>
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

function mapDialects<Result>(build: (owners: (typeof OWNERS)[StoreDialect]) => Result): Record<StoreDialect, Result> {
  return { sqlite: build(OWNERS.sqlite), postgres: build(OWNERS.postgres) }
}

const disabledTimes = prepared(1, (db, id: string) =>
  db
    .selectFrom('identities')
    .select(['disabled_at as disabledAt', 'disabled_until as disabledUntil'])
    .where('id', '=', id),
)

/**
 * Noted nowhere: a session is looked up when it is first used. A log-in that was under way while its identity was disabled or deleted
 * opens none. When the identity has as many as it may have, its oldest end.
 */
const createApiSession: WriteOperation<NewApiSession, void> = async (context, session) => {
  const { db, now, sessionCounts, sessionFiling } = context
  const { identityId, envInfo, sdkInfo } = session
  const [identity] = await disabledTimes(db, identityId)
  if (!identity || isDisabled(identity, now)) throw new AppError('INVALID_AUTH')
  const count = sessionCounts?.of(identityId) ?? (await countSessions(context, identityId))
  sessionCounts?.noteStarted(identityId, count)
  if (count >= session.maxPerIdentity) await endOldest(context, identityId, count + 1 - session.maxPerIdentity)
  await insertRow(db, 'api_sessions', {
    id: session.id,
    token_digest: session.tokenDigest,
    identity_id: identityId,
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
  sessionFiling?.noteStarted(identityId)
  if (envInfo || sdkInfo) await describeClient(context, session)
}

async function endOldest(context: WriteContext, identityId: string, surplus: number): Promise<void> {
  const { db, dialect, sessionFiling } = context
  sessionFiling?.fileOf(identityId)
  const oldest = await OLDEST_SESSIONS[dialect](db, identityId, Math.min(surplus, SURPLUS_AT_ONCE))
  await deleteSessions(context, oldest)
}

/** What the client says of itself is kept of the latest sign-in. */
async function describeClient({ db }: WriteContext, { identityId, envInfo, sdkInfo }: NewApiSession): Promise<void> {
  await db
    .updateTable('identities')
    .set({
      ...(envInfo && { env_info: JSON.stringify(envInfo) }),
      ...(sdkInfo && { sdk_info: JSON.stringify(sdkInfo) }),
    })
    .where('id', '=', identityId)
    .execute()
}

/** Answers whether there was a session to end. Whoever it belongs to ends it, or who has power over him. */
const deleteApiSession: WriteOperation<{ id: string; by: 'owner' | ByWhom }, boolean> = async (context, { id, by }) => {
  const session = await context.db
    .selectFrom('api_sessions')
    .select(['id', 'identity_id', 'ip_address', 'expires_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (session && by !== 'owner') await getTouchableIdentity(context, session.identity_id, by)
  if (session) await deleteSessions(context, [session])
  return session !== undefined && session.expires_at > context.now
}

const touchApiSession: WriteOperation<{ id: string; expiresAt: number }, void> = async (
  { db, now, changed },
  { id, expiresAt },
) => {
  await db
    .updateTable('api_sessions')
    .set({ last_activity_at: now, expires_at: expiresAt })
    .where('id', '=', id)
    .execute()
  changed({ entity: ENTITY, id, action: 'updated' })
}

const EXPIRED_AT_ONCE = 500

/** Takes away sessions that have ended, whatever use of them is not written down yet; answers whether there may be more of them. */
const deleteExpiredApiSessions: WriteOperation<Record<string, never>, boolean> = async (context) => {
  const expired = await context.db
    .selectFrom('api_sessions')
    .select(['id', 'identity_id', 'ip_address'])
    .where('expires_at', '<=', context.now - MAX_UNWRITTEN_ACTIVITY_MS)
    .limit(EXPIRED_AT_ONCE)
    .execute()
  await deleteSessions(context, expired)
  return expired.length === EXPIRED_AT_ONCE
}

/** All sessions that there are now; later ones are not touched. */
const deleteApiSessionsOf: WriteOperation<ByWhom & { identityId: string }, void> = async (
  context,
  { identityId, ...by },
) => {
  await getTouchableIdentity(context, identityId, by)
  await deleteSessionsOf(context, identityId)
}

export const API_SESSION_WRITES = {
  'apiSession.create': createApiSession,
  'apiSession.delete': deleteApiSession,
  'apiSession.deleteAllOf': deleteApiSessionsOf,
  'apiSession.touch': touchApiSession,
  'apiSession.deleteExpired': deleteExpiredApiSessions,
}

type Deleting = Pick<WriteContext, 'db' | 'dialect' | 'changed' | 'sessionCounts' | 'sessionFiling'>

interface WhichSessions {
  /** Those that were opened with this authenticator. */
  readonly authenticatorId?: string
  /** Those that were opened earlier than this. */
  readonly openedBefore?: number
}

/** Ends every session of an identity, or only some of them. */
export async function deleteSessionsOf(
  context: Deleting,
  identityId: string,
  { authenticatorId, openedBefore }: WhichSessions = {},
): Promise<void> {
  const { db, dialect, sessionFiling } = context
  sessionFiling?.fileOf(identityId)
  const ended = await db
    .deleteFrom('api_sessions')
    .where('id', 'in', (eb) =>
      eb.selectFrom(OWNERS[dialect]).select('session_id').where('identity_id', '=', identityId),
    )
    .$if(authenticatorId !== undefined, (query) => query.where('authenticator_id', '=', authenticatorId ?? ''))
    .$if(openedBefore !== undefined, (query) => query.where('created_at', '<', openedBefore ?? 0))
    .returning(['id', 'identity_id', 'ip_address'])
    .execute()
  noteDeleted(context, ended)
}

const deleteByIds = preparedForIds(0, (db, ids) => db.deleteFrom('api_sessions').where('id', 'in', ids))

async function deleteSessions(
  context: Deleting,
  sessions: readonly Pick<ApiSessionRow, 'id' | 'identity_id' | 'ip_address'>[],
): Promise<void> {
  if (sessions.length === 0) return
  await deleteByIds(
    context.db,
    sessions.map(({ id }) => id),
  )
  noteDeleted(context, sessions)
}

function noteDeleted(
  { changed, sessionCounts }: Deleting,
  sessions: readonly Pick<ApiSessionRow, 'id' | 'identity_id' | 'ip_address'>[],
): void {
  for (const { id, identity_id: identityId, ip_address: ipAddress } of sessions) {
    sessionCounts?.noteEnded(identityId)
    changed({ entity: ENTITY, id, action: 'deleted', session: { identityId, ipAddress } })
  }
}
