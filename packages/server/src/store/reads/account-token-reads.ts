import type { Kysely } from 'kysely'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'

/** An access token of this controller. */
export interface AccountToken {
  readonly accountId: string
  readonly organizationId: string
  readonly accountRevision: number
  readonly providerRevision: number
  readonly expiresAt: number
}

const tokenByDigest = prepared(1, (db, digest: string) =>
  db
    .selectFrom('api_account_tokens as token')
    .innerJoin('api_accounts as account', 'account.id', 'token.account_id')
    .select(['token.account_id as accountId', 'account.organization_id as organizationId'])
    .select(['token.account_revision as accountRevision', 'token.provider_revision as providerRevision'])
    .select('token.expires_at as expiresAt')
    .where('token.digest', '=', digest),
)

export async function findAccountToken(db: Kysely<Database>, digest: string): Promise<AccountToken | undefined> {
  const [row] = await tokenByDigest(db, digest)
  return row
}
