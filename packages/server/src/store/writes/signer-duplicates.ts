import { AppError } from '@countersign/core'
import { sql } from 'kysely'
import type { signerColumns } from '../signer-row.ts'
import type { Transaction } from '../transaction.ts'
import { duplicateError, refusingDuplicates } from '../unique-violation.ts'

export type SignerColumns = ReturnType<typeof signerColumns>
type UniqueColumn = 'name' | 'issuer' | 'audience' | 'fingerprint' | 'static_kid'

/** Of several taken values the first of these is reported, whatever order the database looks in. */
const UNIQUE_INDEXES: readonly { readonly index: string; readonly columns: readonly UniqueColumn[] }[] = [
  { index: 'ext_jwt_signers_name', columns: ['name'] },
  { index: 'ext_jwt_signers_issuer_audience', columns: ['issuer', 'audience'] },
  { index: 'ext_jwt_signers_fingerprint', columns: ['fingerprint'] },
  { index: 'ext_jwt_signers_static_kid', columns: ['static_kid'] },
]
const UNIQUE_COLUMNS = UNIQUE_INDEXES.flatMap(({ columns }) => columns)

/** Runs a statement that a unique index may refuse; the error then names the value that is taken. */
export async function refusingDuplicateSigner(
  context: Transaction,
  id: string,
  columns: SignerColumns,
  statement: () => Promise<unknown>,
): Promise<void> {
  const { db, dialect } = context
  // PostgreSQL runs no query after an error unless it can go back to a savepoint.
  if (dialect === 'postgres') await sql`savepoint before_statement`.execute(db)
  try {
    await refusingDuplicates(uniqueValues(columns), statement)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (dialect === 'postgres') await sql`rollback to savepoint before_statement`.execute(db)
    // A value taken by a write that is newer than this one's view of the store cannot be found.
    throw (await findDuplicate(context, id, columns)) ?? error
  }
}

/** The error for a value that another signer has and only one may have. The indexes decide; this only names the value, once something is wrong. */
export async function findDuplicate(
  { db }: Transaction,
  id: string,
  columns: SignerColumns,
): Promise<AppError | undefined> {
  const others = await db
    .selectFrom('ext_jwt_signers')
    .select(['name', 'issuer', 'audience', 'fingerprint', 'static_kid'])
    .where('id', '!=', id)
    .where((row) =>
      row.or(UNIQUE_INDEXES.map((unique) => row.and(unique.columns.map((name) => row(name, '=', columns[name]))))),
    )
    .limit(UNIQUE_INDEXES.length)
    .execute()
  const taken = UNIQUE_INDEXES.find((unique) =>
    others.some((other) => unique.columns.every((name) => columns[name] !== null && other[name] === columns[name])),
  )
  return taken && duplicateError(taken.index, uniqueValues(columns))
}

export function changesUniqueValue(current: SignerColumns, next: SignerColumns): boolean {
  return UNIQUE_COLUMNS.some((name) => current[name] !== next[name])
}

/** The values by the names of the fields in errors. */
function uniqueValues({ name, issuer, fingerprint, static_kid }: SignerColumns) {
  return { name, issuer, fingerprint, kid: static_kid }
}
