import type { Kysely } from 'kysely'
import type { AuthDecisionRow, Database } from '../schema.ts'

/** A decision made after `since`. */
export async function findAuthDecision(
  db: Kysely<Database>,
  id: string,
  since: number,
): Promise<AuthDecisionRow | undefined> {
  return db.selectFrom('auth_decisions').selectAll().where('id', '=', id).where('at', '>', since).executeTakeFirst()
}
