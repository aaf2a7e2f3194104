import type { Kysely } from 'kysely'
import type { IdentityAccess, StoredIdentity } from '../identity-row.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { identitiesOfProvider } from './identities-of-provider.ts'

/** SQLite has one transaction that writes at a time. */
const LOGIN_STATE = {
  sqlite: prepared(2, (db, id: string, signerId: string) => loginState(db, id, signerId)),
  postgres: prepared(2, (db, id: string, signerId: string) => loginState(db, id, signerId).forNoKeyUpdate()),
}

/** One statement: a second one would cost every login a round trip. */
function loginState(db: Kysely<Database>, id: string, signerId: string) {
  const signer = db.selectFrom('ext_jwt_signers as signer').where('signer.id', '=', signerId)
  return db
    .selectFrom('identities')
    .select(['disabled_at as disabledAt', 'disabled_until as disabledUntil', 'external_id as externalId'])
    .select(['expires_at as expiresAt', 'has_expired as hasExpired'])
    .select(signer.select('signer.revision').as('signerRevision'))
    .where('id', '=', id)
}

export interface LoginState extends IdentityAccess, Pick<StoredIdentity, 'externalId'> {
  /** The current revision of the signer of a login by token; null when it does not exist. */
  readonly signerRevision: number | null
}

/**
 * Locks an identity until the commit and returns what decides whether it can log in; undefined when it does not exist. What opens a session and what ends
 * all sessions of an identity both take this lock: the later one sees what the earlier one has done. The signer is not locked, because logins that
 * share a lock would keep it from being changed: a change that commits during the transaction is concurrent with the login.
 */
export async function lockIdentity(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  id: string,
  signerId = '',
): Promise<LoginState | undefined> {
  const [state] = await LOGIN_STATE[dialect](db, id, signerId)
  return state && { ...state, hasExpired: Boolean(state.hasExpired) }
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
