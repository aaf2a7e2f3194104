import { type Kysely, sql } from 'kysely'

export const read = (db: Kysely<never>) => db.selectFrom('rows').select(sql`1`)
