import type { Linked } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { IdentityAccess, StoredIdentity } from '../identity-row.ts'
import { readJsonColumn } from '../json-column.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { type AccountOwner, identitiesOfAccounts } from './identities-of-accounts.ts'

type LoginStateArguments = readonly [id: string, signerId: string, ...revocationKeys: string[]]

/** A token has at most this many keys. */
const MAX_KEYS = 5
const ARGUMENTS = 2 + MAX_KEYS

/** SQLite has one transaction that writes at a time. */
const LOGIN_STATE = {
  sqlite: prepared(ARGUMENTS, (db, ...args: LoginStateArguments) => loginState(db, ...args)),
  postgres: prepared(ARGUMENTS, (db, ...args: LoginStateArguments) => loginState(db, ...args).forNoKeyUpdate()),
}

/** One statement: a second one would cost every login a round trip. */
function loginState(db: Kysely<Database>, ...[id, signerId, ...revocationKeys]: LoginStateArguments) {
  const revocation = db
    .selectFrom('token_revocations')
    .where('signer_id', '=', signerId)
    .where('revocation_key', 'in', revocationKeys)
  const signer = db.selectFrom('ext_jwt_signers as signer').where('signer.id', '=', signerId)
  return db
    .selectFrom('identities')
    .select(['disabled_at as disabledAt', 'disabled_until as disabledUntil', 'external_id as externalId'])
    .select(['expires_at as expiresAt', 'has_expired as hasExpired'])
    .select(['enrolled_by_signer_id as enrolledBySignerId', 'linked_signers as linkedSigners'])
    .select(signer.select('signer.revision').as('signerRevision'))
    .select(revocation.select(({ fn }) => fn.max('revoked_at').as('at')).as('revokedAt'))
    .where('id', '=', id)
}

export interface LoginState extends IdentityAccess, Linked, Pick<StoredIdentity, 'externalId'> {
  /** The current revision of the signer of a login by token; null when it does not exist. */
  readonly signerRevision: number | null
  /** Tokens of a login by token that were issued until then are revoked; null when none are. */
  readonly revokedAt: number | null
}

/**
 * Locks an identity until the commit and returns what decides whether it can log in; undefined when it does not exist. What opens a session and what ends
 * all sessions of an identity both take this lock: the later one sees what the earlier one has done. The signer is not locked, because logins that
 * share a lock would keep it from being changed: a change that commits during the transaction is concurrent with the login.
 */
export async function lockIdentity(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  id: string,
  token?: { readonly signerId: string; readonly revocationKeys: readonly string[] },
): Promise<LoginState | undefined> {
  const keys = Array.from({ length: MAX_KEYS }, (_, index) => token?.revocationKeys[index] ?? '')
  const [state] = await LOGIN_STATE[dialect](db, id, token?.signerId ?? '', ...keys)
  return (
    state && {
      ...state,
      hasExpired: Boolean(state.hasExpired),
      linkedSigners: readJsonColumn<readonly string[]>(state.linkedSigners),
    }
  )
}

/** Locks the identities of an owner's accounts as `lockIdentity` does, and returns their ids. */
export async function lockIdentitiesOfAccounts(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  owner: AccountOwner,
): Promise<string[]> {
  const identities = identitiesOfAccounts(db, owner)
  const rows = await (dialect === 'postgres' ? identities.forNoKeyUpdate('identities') : identities).execute()
  return rows.map(({ id }) => id)
}
