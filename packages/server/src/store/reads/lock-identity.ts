import type { Kysely } from 'kysely'
import type { StoredIdentity } from '../identity-row.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { identitiesOfProvider } from './identities-of-provider.ts'

/** SQLite has one transaction that writes at a time. */
const LOGIN_STATE = {
  sqlite: prepared(1, (db, id: string) => loginState(db, id)),
  postgres: prepared(1, (db, id: string) => loginState(db, id).forNoKeyUpdate()),
}

function loginState(db: Kysely<Database>, id: string) {
  return db
    .selectFrom('identities')
    .select(['disabled_at as disabledAt', 'disabled_until as disabledUntil', 'external_id as externalId'])
    .where('id', '=', id)
}

/**
 * Locks an identity until the commit and returns what decides whether it can log in; undefined when it does not exist. What opens a session and what ends
 * all sessions of an identity both take this lock: the later one sees what the earlier one has done.
 */
export async function lockIdentity(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  id: string,
): Promise<Pick<StoredIdentity, 'disabledAt' | 'disabledUntil' | 'externalId'> | undefined> {
  const [state] = await LOGIN_STATE[dialect](db, id)
  return state
}

/** Locks the identities of a provider's accounts as `lockIdentity` does, and returns their ids. */
export async function lockIdentitiesOfProvider(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  providerId: string,
): Promise<string[]> {
  const identities = identitiesOfProvider(db, providerId)
  const rows = await (dialect === 'postgres' ? identities.forNoKeyUpdate('identities') : identities).execute()
  return rows.map(({ id }) => id)
}
