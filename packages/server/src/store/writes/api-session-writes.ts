import { sql } from 'kysely'
import { insertRow, prepared } from '../prepared.ts'
import { MAX_RECENT_LENGTH, recentLine } from '../recent-login.ts'
import { EXPIRED_FOR_GOOD } from '../session-activity.ts'
import { basisColumns, type SessionBasis } from '../session-basis.ts'
import type { Transaction } from '../transaction.ts'

const ENTITY = 'apiSessions'

export interface NewApiSession extends SessionBasis {
  readonly id: string
  readonly tokenDigest: string
  readonly identityId: string
  readonly ipAddress: string
  /** The program that opened it; null when it is unknown. */
  readonly client?: string | null
  readonly configTypes: readonly string[]
  readonly expiresAt: number
  readonly endsAt: number
}

const sessionCount = prepared(1, (db, identityId: string) =>
  db
    .selectFrom('api_sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('identity_id', '=', identityId),
)

const noteLogin = prepared(4, (db, identityId: string, at: number, method: string, recent: string) =>
  db
    .insertInto('last_logins')
    .values({ identity_id: identityId, at, method, recent })
    .onConflict((conflict) =>
      conflict.column('identity_id').doUpdateSet(({ ref }) => ({
        at: ref('excluded.at'),
        method: ref('excluded.method'),
        recent: sql<string>`substr(excluded.recent || last_logins.recent, 1, ${sql.lit(MAX_RECENT_LENGTH)})`,
      })),
    ),
)

/**
 * Opens a session and notes the login of its identity. Not reported as a change: caches load a session at its first use, and do not hold the
 * last login.
 */
export async function insertSession(tx: Transaction, session: NewApiSession): Promise<void> {
  const { db, now } = tx
  const { id, identityId, method, token, ipAddress } = session
  const row = {
    id: session.id,
    token_digest: session.tokenDigest,
    identity_id: session.identityId,
    ...basisColumns(session),
    ip_address: session.ipAddress,
    client: session.client ?? null,
    config_types: JSON.stringify(session.configTypes),
    last_activity_at: now,
    expires_at: session.expiresAt,
    ends_at: session.endsAt,
    tags: '{}',
    created_at: now,
    updated_at: now,
  }
  // Sent together.
  const login = recentLine({ id, at: now, method, signerId: token?.signerId ?? null, ipAddress })
  await Promise.all([insertRow(db, 'api_sessions', row), noteLogin(db, identityId, now, method, login)])
}

/** How many sessions an identity has. */
export async function countSessions({ db }: Transaction, identityId: string): Promise<number> {
  const [counted] = await sessionCount(db, identityId)
  return counted?.count ?? 0
}

export interface SessionUse {
  readonly id: string
  readonly expiresAt: number | undefined
  readonly updatedAt?: number | undefined
}

/** Records the use of a session and, if given, its new expiry. With `updatedAt` a second token came with it. */
export async function setSessionExpiry(tx: Transaction, { id, expiresAt, updatedAt }: SessionUse): Promise<void> {
  await tx.db
    .updateTable('api_sessions')
    .set({
      last_activity_at: tx.now,
      ...(expiresAt !== undefined && { expires_at: expiresAt }),
      ...(updatedAt !== undefined && { updated_at: updatedAt }),
    })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Stores that a session with this expiry has ended for good. It is deleted, with its event, by the next sweep. */
export async function setSessionExpired(tx: Transaction, id: string, storedExpiresAt: number): Promise<void> {
  const [ended] = await tx.db
    .updateTable('api_sessions')
    .set({ expires_at: EXPIRED_FOR_GOOD })
    .where('id', '=', id)
    .where('expires_at', '=', storedExpiresAt)
    .returning('id')
    .execute()
  if (ended) tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Records that this session has passed the second factor of a TOTP enrollment. */
export async function setPassedTotp(tx: Transaction, id: string, totpId: string): Promise<void> {
  await tx.db.updateTable('api_sessions').set({ passed_totp_id: totpId }).where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Records that this session has passed the second factor with a passkey. */
export async function setPassedPasskey(tx: Transaction, id: string, passkeyId: string): Promise<void> {
  await tx.db.updateTable('api_sessions').set({ passed_passkey_id: passkeyId }).where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** The sessions of an identity that have passed the second factor with this passkey lack it again. */
export async function clearPassedPasskey(tx: Transaction, identityId: string, passkeyId: string): Promise<void> {
  const changed = await tx.db
    .updateTable('api_sessions')
    .set({ passed_passkey_id: null })
    .where('identity_id', '=', identityId)
    .where('passed_passkey_id', '=', passkeyId)
    .returning('id')
    .execute()
  for (const { id } of changed) tx.changed({ entity: ENTITY, id, action: 'updated' })
}

const setFirstEnd = prepared(3, (db, id: string, now: number, expiresAt: number) =>
  db
    .updateTable('api_sessions')
    .set({ last_activity_at: now, expires_at: expiresAt })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .returning('identity_id'),
)

/**
 * Sets when a session ends whose first tokens are issued. Returns its identity; undefined when the session has ended. Not reported as a change: no
 * cache holds a session without tokens.
 */
export async function setFirstSessionEnd(
  { db, now }: Transaction,
  id: string,
  expiresAt: number,
): Promise<string | undefined> {
  const [row] = await setFirstEnd(db, id, now, expiresAt)
  return row?.identity_id
}

const bindTo = prepared(2, (db, id: string, boundKey: string) =>
  db.updateTable('api_sessions').set({ bound_key: boundKey }).where('id', '=', id).where('bound_key', 'is', null),
)

/** Binds a session to the key with which its first tokens are requested. Not reported as a change, as above. */
export async function bindSession({ db }: Transaction, id: string, boundKey: string): Promise<void> {
  await bindTo(db, id, boundKey)
}

const setEnd = prepared(3, (db, id: string, now: number, expiresAt: number) =>
  db.updateTable('api_sessions').set({ last_activity_at: now, expires_at: expiresAt }).where('id', '=', id),
)

/** Records the use of a session that does not extend it by itself, and when it ends now. */
export async function setSessionEnd(tx: Transaction, id: string, expiresAt: number): Promise<void> {
  await setEnd(tx.db, id, tx.now, expiresAt)
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}
