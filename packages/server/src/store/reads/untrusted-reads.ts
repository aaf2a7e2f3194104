import { type Kysely, sql } from 'kysely'
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

/** The lengths of what signers keep in memory, in characters: of their rules, which are compiled, and of their long texts. */
export interface SignerLengths {
  readonly rules: number
  readonly texts: number
}

const RULES = ['accept_rule', 'attribute_rules']
const TEXTS = ['test_cases', 'required_claims', 'jwks', 'jwks_ca_pem', 'cert_pem', 'cert_pems', 'tags']

/** Of all signers but one that this caller wrote last and no administrator trusts. */
export async function sumUntrustedSigners(
  db: Db,
  { writerId, exceptId }: { readonly writerId: string; readonly exceptId: string },
): Promise<SignerLengths> {
  const untrusted = db
    .selectFrom('ext_jwt_signers')
    .select([lengthOf(RULES).as('rules'), lengthOf(TEXTS).as('texts')])
    .where('written_by_id', '=', writerId)
    .where('is_trusted', '=', false)
  const { rules, texts } = await untrusted.where('id', '!=', exceptId).executeTakeFirstOrThrow()
  return { rules: Number(rules), texts: Number(texts) }
}

function lengthOf(columns: readonly string[]) {
  const lengths = columns.map((column) => sql`coalesce(length(${sql.ref(column)}), 0)`)
  return sql<number>`coalesce(sum(${sql.join(lengths, sql` + `)}), 0)`
}
