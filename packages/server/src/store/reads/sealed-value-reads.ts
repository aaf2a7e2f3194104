import { type Kysely, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** Every column with sealed values that all nodes must be able to open. Signing keys are not among them: a node that opens none creates its own. */
export const SEALED_COLUMNS = [
  ['totps', 'secret'],
  ['totps', 'recovery_codes'],
  ['enrollments', 'sealed_token'],
  ['identity_providers', 'administration_secret'],
  ['ext_jwt_signers', 'jwks_authorization'],
  ['api_account_clients', 'registration_token'],
  ['account_jobs', 'registration_token'],
  ['account_pickups', 'sealed_credentials'],
  ['event_sinks', 'secret'],
  ['event_sinks', 'previous_secret'],
] as const

/** Returns a sealed value that does not begin with the prefix of this node's key; undefined when there is none. */
export async function findValueOfOtherKey(db: Kysely<Database>, keyPrefix: string): Promise<string | undefined> {
  for (const [table, column] of SEALED_COLUMNS) {
    const { rows } = await sql<{ value: string }>`
      select ${sql.ref(column)} as value from ${sql.table(table)} where ${sql.ref(column)} not like ${`${keyPrefix}%`} limit 1
    `.execute(db)
    if (rows[0]) return rows[0].value
  }
  return undefined
}
