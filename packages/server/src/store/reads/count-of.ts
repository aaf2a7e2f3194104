import type { AliasedSelectQueryBuilder, Kysely } from 'kysely'
import type { Database } from '../schema.ts'

/** The number of rows of a query. With a limit in the query, the database stops counting there. */
export async function countOf(
  db: Kysely<Database>,
  rows: AliasedSelectQueryBuilder<unknown, 'counted'>,
): Promise<number> {
  const { total } = await db
    .selectFrom(rows)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}
