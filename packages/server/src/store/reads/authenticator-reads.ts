import type { Kysely } from 'kysely'
import type { AuthenticatorRow, Database } from '../schema.ts'

/** One authenticator, of one identity only where that is given. */
export async function findAuthenticator(
  db: Kysely<Database>,
  id: string,
  identityId?: string,
): Promise<AuthenticatorRow | undefined> {
  const row = await db.selectFrom('authenticators').selectAll().where('id', '=', id).executeTakeFirst()
  return row && (identityId === undefined || row.identity_id === identityId) ? row : undefined
}
