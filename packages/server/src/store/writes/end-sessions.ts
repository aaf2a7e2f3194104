import type { ProviderCause } from '../change.ts'
import { OIDC_SESSION_KEYS } from '../oidc-session-key.ts'
import { preparedForIds } from '../prepared.ts'
import { type AccountOwner, identitiesOfAccounts } from '../reads/identities-of-accounts.ts'
import { lockIdentitiesOfAccounts, lockIdentity } from '../reads/lock-identity.ts'
import type { ApiSessionRow } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

/** The column for each credential that a session of an identity can rest on. */
const BASIS_COLUMNS = {
  authenticatorId: 'authenticator_id',
  externalId: 'external_id',
  totpId: 'passed_totp_id',
  passkeyId: 'passed_passkey_id',
} as const satisfies Record<string, keyof ApiSessionRow>

type Basis = { readonly [Name in keyof typeof BASIS_COLUMNS]?: string }

export interface EndingSessions extends Basis {
  readonly identityId: string
  /** Only sessions opened before this time. */
  readonly openedBefore?: number
}

/**
 * Ends the sessions of an identity that rest on the given credential, which has changed or is gone, except the session that makes the change.
 * Without a credential, ends all sessions of the identity. Call it after the change: a login under way then finds the credential changed, or
 * its session ends too. `cause` is the message of an identity provider that ends them. Returns how many ended.
 */
export async function endSessions(
  tx: Transaction,
  { identityId, openedBefore, ...basis }: EndingSessions,
  cause?: ProviderCause,
): Promise<number> {
  const { db, credential } = tx
  const sessionId = credential && 'sessionId' in credential ? credential.sessionId : undefined
  const isCredential = Object.keys(basis).length > 0
  await lockIdentity(tx, identityId)
  let query = db
    .deleteFrom('api_sessions')
    .where('identity_id', '=', identityId)
    .$if(isCredential && sessionId !== undefined, (all) => all.where('id', '!=', sessionId ?? ''))
    .$if(openedBefore !== undefined, (all) => all.where('created_at', '<', openedBefore ?? 0))
  for (const [name, value] of Object.entries(basis) as [keyof Basis, string][]) {
    query = query.where(BASIS_COLUMNS[name], '=', value)
  }
  const ended = await query.returning(['id', 'identity_id', 'ip_address']).execute()
  reportDeleted(tx, ended, cause)
  return ended.length
}

/** Ends the sessions that the OpenID provider has opened for an identity, logins in progress included. */
export async function endOidcSessions(tx: Transaction, identityId: string): Promise<void> {
  await lockIdentity(tx, identityId)
  const ended = tx.db
    .deleteFrom('api_sessions')
    .where('identity_id', '=', identityId)
    .where('token_digest', 'like', OIDC_SESSION_KEYS)
  reportDeleted(tx, await ended.returning(['id', 'identity_id', 'ip_address']).execute())
}

/** Ends the sessions of all accounts of an identity provider or organization. Only accounts with an identity on this controller can have any. */
export async function endSessionsOfAccounts(tx: Transaction, owner: AccountOwner): Promise<void> {
  const { db } = tx
  const identityIds = await lockIdentitiesOfAccounts(tx, owner)
  if (identityIds.length === 0) return
  const ended = db.deleteFrom('api_sessions').where('identity_id', 'in', identitiesOfAccounts(db, owner))
  reportDeleted(tx, await ended.returning(['id', 'identity_id', 'ip_address']).execute())
}

export type EndedSession = Pick<ApiSessionRow, 'id' | 'identity_id' | 'ip_address'>

const deleteByIds = preparedForIds(0, (db, ids) => db.deleteFrom('api_sessions').where('id', 'in', ids))

/** Ends these sessions. `cause` is the message of an identity provider that ends them. */
export async function deleteSessions(
  tx: Transaction,
  sessions: readonly EndedSession[],
  cause?: ProviderCause,
): Promise<void> {
  if (sessions.length === 0) return
  await deleteByIds(
    tx.db,
    sessions.map(({ id }) => id),
  )
  reportDeleted(tx, sessions, cause)
}

/** Ends up to `limit` sessions that expired at `until` or before. Returns how many. */
export async function deleteExpired(tx: Transaction, until: number, limit: number): Promise<number> {
  const { db, dialect } = tx
  const expired = db.selectFrom('api_sessions').select('id').where('expires_at', '<=', until).limit(limit)
  const deleted = db.deleteFrom('api_sessions').where('id', 'in', skipLocked(dialect, expired))
  const sessions = await deleted.returning(['id', 'identity_id', 'ip_address']).execute()
  reportDeleted(tx, sessions)
  return sessions.length
}

/** Reports that sessions were ended. */
export function reportDeleted(
  { changed }: Transaction,
  sessions: readonly EndedSession[],
  cause?: ProviderCause,
): void {
  for (const { id, identity_id: identityId, ip_address: ipAddress } of sessions) {
    const session = { identityId, ipAddress, ...(cause && { cause }) }
    changed({ entity: 'apiSessions', id, action: 'deleted', session })
  }
}
