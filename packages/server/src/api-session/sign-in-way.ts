import type { SignInWay } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'

/** Signing in by JWT leaves no authenticator behind: sessions name the signer in its place, as existing clients know it. */
const SIGNER_PREFIX = 'extJwtId:'

export const authenticatorIdOfSigner = (signerId: string): string => SIGNER_PREFIX + signerId

/** The way that a session's `authenticatorId` stands for; undefined when that authenticator is gone. */
export async function findSignInWay(db: Kysely<Database>, authenticatorId: string): Promise<SignInWay | undefined> {
  if (authenticatorId.startsWith(SIGNER_PREFIX)) {
    return { method: 'ext-jwt', signerId: authenticatorId.slice(SIGNER_PREFIX.length) }
  }
  const row = await db
    .selectFrom('authenticators')
    .select('method')
    .where('id', '=', authenticatorId)
    .executeTakeFirst()
  return row && { method: row.method === 'updb' ? 'updb' : 'cert' }
}
