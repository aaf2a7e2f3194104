import type { Kysely } from 'kysely'
import type { Database, TotpRow } from '../schema.ts'

/** How many enrollments hold a secret that the named key does not open. */
export async function countForeignTotps(db: Kysely<Database>, keyPrefix: string): Promise<number> {
  const { count } = await db
    .selectFrom('totps')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('secret', 'not like', `${keyPrefix}%`)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The enrollment of an identity, verified or not. */
export async function findTotp(db: Kysely<Database>, identityId: string): Promise<TotpRow | undefined> {
  return db.selectFrom('totps').selectAll().where('identity_id', '=', identityId).executeTakeFirst()
}
