import type { Kysely } from 'kysely'
import type { CredentialPurpose, Database } from '../schema.ts'

/** What a token or proof that is accepted once was last used for; undefined when it was not. The transaction that uses it decides. */
export async function findCredentialUse(db: Kysely<Database>, digest: string): Promise<CredentialPurpose | undefined> {
  const row = await db.selectFrom('used_credentials').select('used_for').where('digest', '=', digest).executeTakeFirst()
  return row?.used_for
}
