import type { Kysely } from 'kysely'
import { sql } from '../store/read.ts'

export const find = (db: Kysely<never>) => [
  db.selectFrom('rows'),
  db.insertInto('rows'),
  db.updateTable('rows'),
  db.deleteFrom('rows'),
  sql`select 1`,
  sql<number>`select 1`,
]
