import { readJsonColumn } from '../json-column.ts'
import type { OidcLoginDetails, StoredOidcLogin } from '../oidc-login.ts'
import { insertRow, prepared } from '../prepared.ts'
import type { StoreDialect, Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

/** A login before an identity has logged in. */
export type NewOidcLogin = Omit<StoredOidcLogin, 'session' | 'code'>

/** Not reported as a change: no cache holds logins. */
export async function insertOidcLogin({ db, now }: Transaction, login: NewOidcLogin): Promise<void> {
  await insertRow(db, 'oidc_logins', {
    id: login.id,
    client_id: login.clientId,
    redirect_uri: login.redirectUri,
    scopes: JSON.stringify(login.scopes),
    state: login.state ?? null,
    nonce: login.nonce ?? null,
    code_challenge: login.codeChallenge,
    config_types: JSON.stringify(login.configTypes),
    browser_digest: login.browserDigest ?? null,
    created_at: now,
    expires_at: login.expiresAt,
  })
}

/** The code of a login that is complete. */
export interface NewOidcCode {
  readonly value: string
  readonly expiresAt: number
}

type Code = NewOidcCode | undefined

const setSession = prepared(
  5,
  (db, id: string, sessionId: string, details: string, code: string | null, expiresAt: number | null) =>
    db
      .updateTable('oidc_logins')
      .set({ session_id: sessionId, details, code, code_expires_at: expiresAt })
      .where('id', '=', id),
)

/** Records the identity's session, with the code if the login is complete. */
export async function setLoginSession(
  { db }: Transaction,
  id: string,
  { sessionId, details, code }: { readonly sessionId: string; readonly details: OidcLoginDetails; readonly code: Code },
): Promise<void> {
  await setSession(db, id, sessionId, JSON.stringify(details), code?.value ?? null, code?.expiresAt ?? null)
}

const setCode = prepared(3, (db, id: string, code: string, expiresAt: number) =>
  db.updateTable('oidc_logins').set({ code, code_expires_at: expiresAt }).where('id', '=', id),
)

export async function setLoginCode({ db }: Transaction, id: string, { value, expiresAt }: NewOidcCode): Promise<void> {
  await setCode(db, id, value, expiresAt)
}

const redeemIn = (dialect: StoreDialect) =>
  prepared(4, (db, id: string, sessionId: string, code: string, now: number) =>
    db
      .updateTable('oidc_logins')
      .set({ redeemed_at: now })
      .where('id', 'in', skipLocked(dialect, db.selectFrom('oidc_logins').select('id').where('id', '=', id)))
      .where('session_id', '=', sessionId)
      .where('code', '=', code)
      .where('redeemed_at', 'is', null)
      .where('code_expires_at', '>', now)
      .where('expires_at', '>', now)
      .returning('details'),
  )
const REDEEM = { sqlite: redeemIn('sqlite'), postgres: redeemIn('postgres') }

/** The code of a login that leads to a session. */
export interface RedeemableCode {
  readonly loginId: string
  readonly sessionId: string
  readonly code: string
}

/**
 * Marks the code of a login as redeemed. Returns what its session is remembered by; undefined when it cannot be redeemed, or another transaction has
 * locked the login, for which this does not wait.
 */
export async function redeemCode(
  { db, dialect, now }: Transaction,
  { loginId, sessionId, code }: RedeemableCode,
): Promise<OidcLoginDetails | undefined> {
  const [row] = await REDEEM[dialect](db, loginId, sessionId, code, now)
  return row && (readJsonColumn(row.details ?? 'null') as OidcLoginDetails)
}

/** Deletes up to `limit` logins that have expired. Returns how many. */
export async function deleteExpiredLogins(tx: Transaction, limit: number): Promise<number> {
  const { db, now } = tx
  const ids = await db.selectFrom('oidc_logins').select('id').where('expires_at', '<=', now).limit(limit).execute()
  return deleteLogins(tx, ids)
}

/** Deletes up to `limit` of the oldest logins in which no identity has logged in yet, so that about `kept` are left. Returns how many. */
export async function deleteSurplusLogins(
  tx: Transaction,
  { kept, limit }: { readonly kept: number; readonly limit: number },
): Promise<number> {
  const ids = await tx.db
    .selectFrom('oidc_logins')
    .select('id')
    .where('session_id', 'is', null)
    .orderBy('expires_at', 'desc')
    .offset(kept)
    .limit(limit)
    .execute()
  return deleteLogins(tx, ids)
}

async function deleteLogins({ db, dialect }: Transaction, rows: readonly { readonly id: string }[]): Promise<number> {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  const free = skipLocked(dialect, db.selectFrom('oidc_logins').select('id').where('id', 'in', ids))
  await db.deleteFrom('oidc_logins').where('id', 'in', free).execute()
  return ids.length
}
