import { AppError } from '@countersign/core'
import { sql } from 'kysely'
import type { signerColumns } from '../../store/signer-row.ts'
import { duplicateError, refusingDuplicates } from '../../store/unique-violation.ts'
import type { WriteContext } from '../../store/write-operation.ts'

export type SignerColumns = ReturnType<typeof signerColumns>
type UniqueColumn = 'name' | 'issuer' | 'audience' | 'fingerprint' | 'static_kid'

/** Which of several taken values is told: always the first of these, whatever order the database looks in. */
const UNIQUE_INDEXES: readonly { readonly index: string; readonly columns: readonly UniqueColumn[] }[] = [
  { index: 'ext_jwt_signers_name', columns: ['name'] },
  { index: 'ext_jwt_signers_issuer_audience', columns: ['issuer', 'audience'] },
  { index: 'ext_jwt_signers_fingerprint', columns: ['fingerprint'] },
  { index: 'ext_jwt_signers_static_kid', columns: ['static_kid'] },
]
const UNIQUE_COLUMNS = UNIQUE_INDEXES.flatMap(({ columns }) => columns)

/** Runs a statement that a unique index may refuse, and then tells which value is taken. */
export async function tellingDuplicate(
  context: WriteContext,
  id: string,
  columns: SignerColumns,
  statement: () => Promise<unknown>,
): Promise<void> {
  const { db, dialect } = context
  // In PostgreSQL nothing can be asked after an error, unless there is a point before it to go back to.
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

/**
 * What another signer has that only one may have. The indexes decide; this is for telling which, once something is wrong:
 * PostgreSQL would have to repeat concurrent writes that all look at what the others change.
 */
export async function findDuplicate(
  { db }: WriteContext,
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

/** The values by the names of the fields that errors tell. */
function uniqueValues({ name, issuer, fingerprint, static_kid }: SignerColumns) {
  return { name, issuer, fingerprint, kid: static_kid }
}
