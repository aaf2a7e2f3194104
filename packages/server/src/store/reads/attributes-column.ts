import { type Kysely, PostgresAdapter, sql } from 'kysely'
import type { Database } from '../schema.ts'

const ON_SQLITE = sql<string>`(
  select json_group_array(json_object('attribute', attribute, 'signer_id', signer_id, 'channel', channel) order by attribute)
  from identity_attributes where identity_id = identities.id)`
const ON_POSTGRES = sql<string>`(
  select coalesce(json_agg(json_build_object('attribute', attribute, 'signer_id', signer_id, 'channel', channel) order by attribute)::text, '[]')
  from identity_attributes where identity_id = identities.id)`

/** The rows of an identity's attributes as a JSON array, ordered by attribute, so that they need no statement of their own. */
export function attributesColumn(db: Kysely<Database>) {
  return db.getExecutor().adapter instanceof PostgresAdapter ? ON_POSTGRES : ON_SQLITE
}
