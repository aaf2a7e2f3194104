import type { OidcLoginDetails } from '../oidc-login.ts'
import type { RefreshGrant } from '../oidc-schema.ts'
import { insertRow, prepared } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

export interface NewOidcSession {
  readonly sessionId: string
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly details: OidcLoginDetails
}

const insertSession = prepared(5, (db, id: string, clientId: string, scopes: string, details: string, now: number) =>
  db
    .insertInto('oidc_sessions')
    .columns(['session_id', 'client_id', 'scopes', 'details'])
    .expression(
      db
        .selectFrom('api_sessions')
        .select(({ cast, val }) => [
          'id',
          cast<string>(val(clientId), 'text').as('client_id'),
          cast<string>(val(scopes), 'text').as('scopes'),
          cast<string>(val(details), 'text').as('details'),
        ])
        .where('id', '=', id)
        .where('expires_at', '>', now),
    ),
)

/** Without effect when the session has ended. */
export async function insertOidcSession({ db, now }: Transaction, session: NewOidcSession): Promise<void> {
  const { sessionId, clientId, scopes, details } = session
  await insertSession(db, sessionId, clientId, JSON.stringify(scopes), JSON.stringify(details), now)
}

const setDetails = prepared(2, (db, sessionId: string, details: string) =>
  db.updateTable('oidc_sessions').set({ details }).where('session_id', '=', sessionId),
)

export async function setOidcDetails({ db }: Transaction, sessionId: string, details: OidcLoginDetails): Promise<void> {
  await setDetails(db, sessionId, JSON.stringify(details))
}

export interface SpentToken {
  readonly jti: string
  readonly sessionId: string
  readonly spentBy: RefreshGrant
  readonly expiresAt: number
}

/** Records that a client gets a new refresh token for this one. */
export async function insertSpentToken({ db, now }: Transaction, token: SpentToken): Promise<void> {
  const { jti, sessionId, spentBy, expiresAt } = token
  const spent = { spent_at: now, spent_by: spentBy }
  await insertRow(db, 'oidc_spent_tokens', { jti, session_id: sessionId, ...spent, expires_at: expiresAt })
}

/** Deletes up to `limit` records of refresh tokens that have expired. Returns how many. */
export async function deleteExpiredSpentTokens({ db, dialect, now }: Transaction, limit: number): Promise<number> {
  const expired = db.selectFrom('oidc_spent_tokens').select('jti').where('expires_at', '<=', now).limit(limit)
  const rows = await skipLocked(dialect, expired).execute()
  const ids = rows.map(({ jti }) => jti)
  if (ids.length > 0) await db.deleteFrom('oidc_spent_tokens').where('jti', 'in', ids).execute()
  return ids.length
}
