import { insertRow, prepared } from '../prepared.ts'
import { basisColumns, type SessionBasis } from '../session-basis.ts'
import { forEachDialect } from '../session-owners.ts'
import type { Transaction } from '../transaction.ts'

const ENTITY = 'apiSessions'

export interface NewApiSession extends SessionBasis {
  readonly id: string
  readonly tokenDigest: string
  readonly identityId: string
  readonly ipAddress: string
  readonly configTypes: readonly string[]
  readonly expiresAt: number
  readonly endsAt: number
}

const SESSION_COUNT = forEachDialect((owners) =>
  prepared(1, (db, identityId: string) =>
    db
      .selectFrom(owners)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('identity_id', '=', identityId),
  ),
)

/** Not reported as a change: caches load a session at its first use. Call `countSessionsBeforeStart` first. */
export async function insertSession(tx: Transaction, session: NewApiSession): Promise<void> {
  const { db, now, sessionIndexer } = tx
  await insertRow(db, 'api_sessions', {
    id: session.id,
    token_digest: session.tokenDigest,
    identity_id: session.identityId,
    ...basisColumns(session),
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
