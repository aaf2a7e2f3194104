import { sql } from 'kysely'
import type { ApiAccountRow } from '../hosted-schema.ts'
import type { Transaction } from '../transaction.ts'

/** The literal makes the partial index usable. */
const NOT_EXPIRED = { sqlite: sql<boolean>`has_expired = 0`, postgres: sql<boolean>`has_expired = false` }

/** API accounts whose access has ended at `now`, which is not recorded yet. */
export async function findAccountsToExpire(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  now: number,
  limit: number,
): Promise<Pick<ApiAccountRow, 'id' | 'revision'>[]> {
  return db
    .selectFrom('api_accounts')
    .select(['id', 'revision'])
    .where('expires_at', '<=', now)
    .where(NOT_EXPIRED[dialect])
    .limit(limit)
    .execute()
}
