import { type Kysely, sql } from 'kysely'
import type { AuthDecisionRow, Database } from '../schema.ts'

/** SQL: whether a decision is a refusal that administrators of this controller see. Others are for the members of their organization. */
export const OF_CONTROLLER = `reason <> 'accepted' and (organization_id is null
  or organization_id = (select local.id from organizations as local where local.is_local))`

/** A decision of this controller made after `since`. */
export async function findAuthDecision(
  db: Kysely<Database>,
  id: string,
  since: number,
): Promise<AuthDecisionRow | undefined> {
  return db
    .selectFrom('auth_decisions')
    .selectAll()
    .where('id', '=', id)
    .where('at', '>', since)
    .where(sql<boolean>`${sql.raw(OF_CONTROLLER)}`)
    .executeTakeFirst()
}
