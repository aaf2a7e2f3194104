import { insertRow } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

export interface NewAccountToken {
  readonly digest: string
  readonly accountId: string
  readonly accountRevision: number
  readonly providerRevision: number
  readonly expiresAt: number
}

/** Reports no change: no cache knows the token yet. */
export async function insertAccountToken({ db, now }: Transaction, token: NewAccountToken): Promise<void> {
  await insertRow(db, 'api_account_tokens', {
    digest: token.digest,
    account_id: token.accountId,
    account_revision: token.accountRevision,
    provider_revision: token.providerRevision,
    created_at: now,
    expires_at: token.expiresAt,
  })
}

/** Deletes up to `limit` tokens that have expired. Returns how many. */
export async function deleteExpiredTokens({ db, dialect, now }: Transaction, limit: number): Promise<number> {
  const expired = db.selectFrom('api_account_tokens').select('digest').where('expires_at', '<=', now).limit(limit)
  const deleted = db.deleteFrom('api_account_tokens').where('digest', 'in', skipLocked(dialect, expired))
  return (await deleted.returning('digest').execute()).length
}
