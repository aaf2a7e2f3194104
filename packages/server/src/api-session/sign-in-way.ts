import type { SignInWay } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'

/** Signing in by JWT leaves no authenticator behind: sessions name the signer in its place, as existing clients know it. */
const SIGNER_PREFIX = 'extJwtId:'

export const authenticatorIdOfSigner = (signerId: string): string => SIGNER_PREFIX + signerId

const ACCOUNT_PREFIX = 'apiAccount:'

export const authenticatorIdOfAccount = (accountId: string): string => ACCOUNT_PREFIX + accountId

/** The way that a session's `authenticatorId` stands for; undefined when that authenticator is gone. */
export async function findSignInWay(db: Kysely<Database>, authenticatorId: string): Promise<SignInWay | undefined> {
  if (authenticatorId.startsWith(SIGNER_PREFIX)) {
    return { method: 'ext-jwt', signerId: authenticatorId.slice(SIGNER_PREFIX.length) }
  }
  if (authenticatorId.startsWith(ACCOUNT_PREFIX)) {
    return findAccountWay(db, authenticatorId.slice(ACCOUNT_PREFIX.length))
  }
  const row = await db
    .selectFrom('authenticators')
    .select('method')
    .where('id', '=', authenticatorId)
    .executeTakeFirst()
  return row && { method: row.method === 'updb' ? 'updb' : 'cert' }
}

/** An account that was disabled or deleted, or whose organization was, lets nobody in. */
async function findAccountWay(db: Kysely<Database>, accountId: string): Promise<SignInWay | undefined> {
  const account = await db
    .selectFrom('api_accounts')
    .innerJoin('organizations', 'organizations.id', 'api_accounts.organization_id')
    .select('api_accounts.id')
    .where('api_accounts.id', '=', accountId)
    .where('api_accounts.active', '=', true)
    .where('organizations.active', '=', true)
    .executeTakeFirst()
  return account && { method: 'api-account', accountId }
}
