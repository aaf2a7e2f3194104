import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'
import { countOf } from './count-of.ts'

type Db = Kysely<Database>

/** What logs identities in, and has a trust. */
export type TrustedTable = 'ext_jwt_signers' | 'cas'

/** How many rows this caller wrote last and no administrator trusts, up to `most`. */
export function countUntrustedOf(db: Db, table: TrustedTable, writerId: string, most: number): Promise<number> {
  const rows = table === 'cas' ? db.selectFrom('cas') : db.selectFrom('ext_jwt_signers')
  const untrusted = (rows as ReturnType<typeof db.selectFrom<'cas'>>)
    .select('written_by_id')
    .where('written_by_id', '=', writerId)
    .where('is_trusted', '=', false)
  return countOf(db, untrusted.limit(most).as('counted'))
}
