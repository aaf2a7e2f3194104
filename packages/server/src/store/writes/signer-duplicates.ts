import type { AppError } from '@countersign/core'
import type { signerColumns } from '../signer-row.ts'
import { duplicateError } from '../unique-violation.ts'
import type { WriteContext } from '../write-operation.ts'

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

/**
 * What another signer has that only one may have. The indexes decide; this is for telling which. It is not asked without
 * need: each look makes it likelier that PostgreSQL has to repeat concurrent writes.
 */
export async function findDuplicate(
  { db }: WriteContext,
  id: string,
  columns: SignerColumns,
): Promise<AppError | undefined> {
  // Asked about a signer that may have been refused already; PostgreSQL takes no NUL, so nobody has such a value.
  if (UNIQUE_COLUMNS.some((name) => columns[name]?.includes('\0'))) return undefined
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
export function uniqueValues({ name, issuer, fingerprint, static_kid }: SignerColumns) {
  return { name, issuer, fingerprint, kid: static_kid }
}
