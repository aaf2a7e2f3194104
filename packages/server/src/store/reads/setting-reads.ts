import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'

/** The settings whose names begin with a prefix. */
export function listSettings(db: Kysely<Database>, prefix: string): Promise<{ name: string; value: string }[]> {
  return db.selectFrom('settings').selectAll().where('name', 'like', `${prefix}%`).orderBy('name').execute()
}

/** A setting that all nodes on this store share. */
export async function findSetting(db: Kysely<Database>, name: string): Promise<string | undefined> {
  return (await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst())?.value
}
