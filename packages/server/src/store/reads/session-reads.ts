import type { Kysely } from 'kysely'
import { type StoredSession, sessionFromRow } from '../api-session-row.ts'
import { identityFromRow, type StoredIdentity } from '../identity-row.ts'
import { readJsonColumn } from '../json-column.ts'
import { prepared } from '../prepared.ts'
import { type RecentLogin, readRecentLogins } from '../recent-login.ts'
import type { ApiSessionRow, Database } from '../schema.ts'
import type { Store } from '../store.ts'
import type { Transaction } from '../transaction.ts'
import { attributesColumn } from './attributes-column.ts'
import type { SignerOfSession } from './session-origin-reads.ts'

const sessionByDigest = prepared(1, (db, digest: string) =>
  db
    .selectFrom('api_sessions as session')
    .innerJoin('identities', 'identities.id', 'session.identity_id')
    .selectAll('identities')
    .select([
      'session.id as session_id',
      'session.method',
      'session.authenticator_id',
      'session.signer_id',
      'session.signer_revision',
      'session.key_thumbprint',
      'session.ca_id',
      'session.ca_revision',
      'session.acr',
      'session.amr',
      'session.authenticated_at',
      'session.rule_claims',
      'session.token_expires_at',
      'session.ip_address',
      'session.config_types',
      'session.created_at as session_created_at',
      'session.updated_at as session_updated_at',
      'session.ends_at',
      'session.passed_totp_id',
      'session.passed_passkey_id',
      'session.bound_key',
      'session.last_activity_at',
      'session.expires_at as session_expires_at',
    ])
    .leftJoin('ext_jwt_signers as signer', (join) =>
      join.onRef('signer.id', '=', 'session.signer_id').on('signer.enabled', '=', true),
    )
    .select([
      'signer.is_trusted as signer_is_trusted',
      'signer.session_revision as signer_session_revision',
      'signer.removed_keys as signer_removed_keys',
    ])
    .select(attributesColumn(db).as('attributes'))
    .where('session.token_digest', '=', digest),
)

export interface FoundSession {
  readonly session: StoredSession
  readonly identity: StoredIdentity
  /** The signer of the token that opened it; null when it is deleted or disabled, and for other methods. */
  readonly signer: SignerOfSession | null
}

/** A session with what it rests on, in one statement, so that a request with an uncached session waits for one query only. */
export async function findSession({ db }: Pick<Store, 'db'>, tokenDigest: string): Promise<FoundSession | undefined> {
  const [row] = await sessionByDigest(db, tokenDigest)
  if (!row) return undefined
  const ofSession = {
    id: row.session_id,
    created_at: row.session_created_at,
    updated_at: row.session_updated_at,
    expires_at: row.session_expires_at,
  }
  return {
    session: sessionFromRow({ ...row, ...ofSession }),
    identity: identityFromRow(row, readJsonColumn(row.attributes)),
    signer: signerOfRow(row),
  }
}

function signerOfRow(row: {
  readonly signer_is_trusted: unknown
  readonly signer_session_revision: number | null
  readonly signer_removed_keys: string | null
}): SignerOfSession | null {
  const { signer_session_revision: sessionRevision, signer_removed_keys: removedKeys } = row
  if (sessionRevision === null || removedKeys === null) return null
  return { isTrusted: Boolean(row.signer_is_trusted), sessionRevision, removedKeys: readJsonColumn(removedKeys) }
}

const storedCount = prepared(0, (db) =>
  db.selectFrom('row_counts').select('total').where('table_name', '=', 'api_sessions'),
)

const endedCount = prepared(1, (db, now: number) =>
  db
    .selectFrom('api_sessions')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('expires_at', '<=', now),
)

/**
 * A function that counts the live sessions without reading them: all stored sessions, whose number SQLite maintains, minus the expired ones,
 * which are few because they are deleted regularly. Undefined on PostgreSQL, which maintains no number.
 */
export function findSessionCounter({ db, dialect }: Pick<Store, 'db' | 'dialect'>, now: number) {
  if (dialect !== 'sqlite') return undefined
  return async (): Promise<number> => {
    const [[stored], [ended]] = await Promise.all([storedCount(db), endedCount(db, now)])
    return (stored?.total ?? 0) - (ended?.total ?? 0)
  }
}

const ownerById = prepared(1, (db, id: string) =>
  db.selectFrom('api_sessions').select(['id', 'identity_id', 'ip_address', 'expires_at']).where('id', '=', id),
)

/** The owner and expiry of a session. */
export async function findSessionOwner(
  db: Kysely<Database>,
  id: string,
): Promise<Pick<ApiSessionRow, 'id' | 'identity_id' | 'ip_address' | 'expires_at'> | undefined> {
  const [row] = await ownerById(db, id)
  return row
}

const loginsById = prepared(1, (db, identityId: string) =>
  db.selectFrom('last_logins').select('recent').where('identity_id', '=', identityId),
)

/** The last logins of an identity, newest first, also those whose session has ended. */
export async function loadRecentLogins(db: Kysely<Database>, identityId: string): Promise<RecentLogin[]> {
  const [row] = await loginsById(db, identityId)
  return readRecentLogins(row?.recent ?? '')
}

/** The authenticator that a session rests on; null when there is none, as for logins by token. */
export async function findSessionAuthenticator(db: Kysely<Database>, id: string): Promise<string | null> {
  const row = await db
    .selectFrom('api_sessions')
    .innerJoin('authenticators', 'authenticators.id', 'api_sessions.authenticator_id')
    .select('authenticators.id')
    .where('api_sessions.id', '=', id)
    .executeTakeFirst()
  return row?.id ?? null
}

const rowById = (db: Kysely<Database>, id: string) => db.selectFrom('api_sessions').selectAll().where('id', '=', id)
const sessionRowById = prepared(1, rowById)

/** The row of a session that has not expired. */
export async function findLiveSessionRow(
  db: Kysely<Database>,
  id: string,
  now: number,
): Promise<ApiSessionRow | undefined> {
  const [row] = await sessionRowById(db, id)
  return row && row.expires_at > now ? row : undefined
}

const LOCKED_SESSION = {
  sqlite: sessionRowById,
  postgres: prepared(1, (db, id: string) => rowById(db, id).forUpdate()),
}

/** Like `findLiveSessionRow`, and locks the session until the commit. */
export async function lockLiveSession(
  { db, dialect, now }: Pick<Transaction, 'db' | 'dialect' | 'now'>,
  id: string,
): Promise<ApiSessionRow | undefined> {
  const [row] = await LOCKED_SESSION[dialect](db, id)
  return row && row.expires_at > now ? row : undefined
}

/** The number of sessions that have not expired. Reads them all. */
export async function countLiveSessions(db: Kysely<Database>, now: number): Promise<number> {
  const row = await db
    .selectFrom('api_sessions')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return Number(row?.total ?? 0)
}
