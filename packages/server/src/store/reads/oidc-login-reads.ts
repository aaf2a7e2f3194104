import type { Kysely } from 'kysely'
import { oidcLoginFromRow, type StoredOidcLogin } from '../oidc-login.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'

const loginById = (db: Kysely<Database>, id: string) => db.selectFrom('oidc_logins').selectAll().where('id', '=', id)
const LOGIN_BY_ID = prepared(1, loginById)

/** A login that has not expired. */
export async function findOidcLogin(
  db: Kysely<Database>,
  id: string,
  now: number,
): Promise<StoredOidcLogin | undefined> {
  const [row] = await LOGIN_BY_ID(db, id)
  return row && now < row.expires_at ? oidcLoginFromRow(row) : undefined
}

const LOCKED_LOGIN = {
  sqlite: LOGIN_BY_ID,
  postgres: prepared(1, (db, id: string) => loginById(db, id).forUpdate().skipLocked()),
}

/** Like `findOidcLogin`, and locks the login until the commit. Does not wait for a login that another transaction has locked: it is `busy`. */
export async function lockOidcLogin(
  { db, dialect, now }: Pick<Transaction, 'db' | 'dialect' | 'now'>,
  id: string,
): Promise<StoredOidcLogin | 'busy' | undefined> {
  const [row] = await LOCKED_LOGIN[dialect](db, id)
  if (row) return now < row.expires_at ? oidcLoginFromRow(row) : undefined
  return (await findOidcLogin(db, id, now)) && 'busy'
}

const loginByCode = prepared(1, (db, code: string) => db.selectFrom('oidc_logins').selectAll().where('code', '=', code))

/** The login that a code was issued for, redeemed or not. */
export async function findOidcLoginByCode(db: Kysely<Database>, code: string): Promise<StoredOidcLogin | undefined> {
  const [row] = await loginByCode(db, code)
  return row && oidcLoginFromRow(row)
}
