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

export async function insertOidcSession({ db }: Transaction, session: NewOidcSession): Promise<void> {
  await insertRow(db, 'oidc_sessions', {
    session_id: session.sessionId,
    client_id: session.clientId,
    scopes: JSON.stringify(session.scopes),
    details: JSON.stringify(session.details),
  })
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
