import { AppError, type SignerSettings, signerAudiences } from '@countersign/core'
import { sql } from 'kysely'
import { insertRows } from '../prepared.ts'
import type { signerColumns } from '../signer-row.ts'
import type { Transaction } from '../transaction.ts'
import { duplicateError, refusingDuplicates } from '../unique-violation.ts'

export type SignerColumns = ReturnType<typeof signerColumns>

/** A signer as it is about to be written. */
export interface SignerToWrite {
  readonly id: string
  readonly settings: SignerSettings
  readonly columns: SignerColumns
}

/** The columns that no two signers have the same value in, by the index that sees to it. */
const UNIQUE_COLUMNS = {
  ext_jwt_signers_name: 'name',
  ext_jwt_signers_fingerprint: 'fingerprint',
  ext_jwt_signers_static_kid: 'static_kid',
} as const satisfies Record<string, keyof SignerColumns>
const AUDIENCES_INDEX = 'ext_jwt_signer_audiences_pkey'

/** Which of several taken values is reported: always the first of these, whatever order the database looks in. */
const REPORT_ORDER = [
  'ext_jwt_signers_name',
  AUDIENCES_INDEX,
  'ext_jwt_signers_fingerprint',
  'ext_jwt_signers_static_kid',
] as const

/** Runs statements that a unique index may refuse; the error then names the value that is taken. */
export async function refusingDuplicateSigner(
  tx: Transaction,
  signer: SignerToWrite,
  statements: () => Promise<unknown>,
): Promise<void> {
  const { db, dialect } = tx
  // PostgreSQL runs no query after an error unless it can go back to a savepoint.
  if (dialect === 'postgres') await sql`savepoint before_statement`.execute(db)
  try {
    await refusingDuplicates(uniqueValues(signer.columns), statements)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (dialect === 'postgres') await sql`rollback to savepoint before_statement`.execute(db)
    // A value taken by a write that is newer than this one's view of the store cannot be found.
    throw (await findDuplicate(tx, signer)) ?? error
  }
}

/** Records which audiences are the signer's; the table's primary key refuses those of another signer of the same issuer. */
export async function replaceAudiences({ db }: Transaction, { id, settings }: SignerToWrite): Promise<void> {
  await db.deleteFrom('ext_jwt_signer_audiences').where('signer_id', '=', id).execute()
  await insertAudiences({ db }, { id, settings })
}

/** The same for a signer that is new. */
export async function insertAudiences(
  { db }: Pick<Transaction, 'db'>,
  { id, settings }: Pick<SignerToWrite, 'id' | 'settings'>,
): Promise<void> {
  const { issuer } = settings
  // In one order, so that concurrent writes wait for each other and never in a circle.
  const audiences = signerAudiences(settings).toSorted()
  await insertRows(
    db,
    'ext_jwt_signer_audiences',
    audiences.map((audience) => ({ issuer, audience, signer_id: id })),
  )
}

/** The error for a value that another signer has and only one may have. The indexes decide; this only names the value, once something is wrong. */
export async function findDuplicate(
  { db }: Transaction,
  { id, settings, columns }: SignerToWrite,
): Promise<AppError | undefined> {
  const others = await db
    .selectFrom('ext_jwt_signers')
    .select(Object.values(UNIQUE_COLUMNS))
    .where('id', '!=', id)
    .where((row) => row.or(Object.values(UNIQUE_COLUMNS).map((name) => row(name, '=', columns[name]))))
    .limit(REPORT_ORDER.length)
    .execute()
  const sharedAudience = await db
    .selectFrom('ext_jwt_signer_audiences')
    .select('signer_id')
    .where('issuer', '=', settings.issuer)
    .where('audience', 'in', signerAudiences(settings))
    .where('signer_id', '!=', id)
    .limit(1)
    .executeTakeFirst()
  const taken = REPORT_ORDER.find((index) => {
    if (index === AUDIENCES_INDEX) return sharedAudience !== undefined
    const name = UNIQUE_COLUMNS[index]
    return columns[name] !== null && others.some((other) => other[name] === columns[name])
  })
  return taken && duplicateError(taken, uniqueValues(columns))
}

export function changesUniqueValue(current: SignerColumns, next: SignerColumns): boolean {
  return Object.values(UNIQUE_COLUMNS).some((name) => current[name] !== next[name]) || changesAudiences(current, next)
}

export function changesAudiences(current: SignerColumns, next: SignerColumns): boolean {
  const names = ['issuer', 'audience', 'additional_audiences'] as const
  return names.some((name) => current[name] !== next[name])
}

/** The values by the names of the fields that errors have. */
function uniqueValues({ name, issuer, fingerprint, static_kid }: SignerColumns) {
  return { name, issuer, fingerprint, kid: static_kid }
}
