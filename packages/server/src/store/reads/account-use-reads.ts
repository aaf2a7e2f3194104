import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'

/** An active account that is not used. */
export interface UnusedAccount {
  readonly id: string
  readonly name: string
  readonly organizationId: string
  /** Null when it was never used. */
  readonly usedAt: number | null
}

/** Up to `limit` active accounts without a use since `unusedSince`, older than that, and not warned of yet. */
export function unusedAccounts(db: Kysely<Database>, unusedSince: number, limit: number) {
  return db
    .selectFrom('api_accounts as account')
    .leftJoin('api_account_uses as use', 'use.account_id', 'account.id')
    .select(['account.id', 'account.name', 'account.organization_id as organizationId', 'use.used_at as usedAt'])
    .where('account.active', '=', true)
    .where('account.has_expired', '=', false)
    .where('account.created_at', '<=', unusedSince)
    .where((is) => is.or([is('use.used_at', 'is', null), is('use.used_at', '<=', unusedSince)]))
    .where('use.warned_at', 'is', null)
    .limit(limit)
}
