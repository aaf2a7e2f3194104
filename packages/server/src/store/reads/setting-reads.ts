import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'

/** A setting that all nodes on this store share. */
export async function findSetting(db: Kysely<Database>, name: string): Promise<string | undefined> {
  return (await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value
}
