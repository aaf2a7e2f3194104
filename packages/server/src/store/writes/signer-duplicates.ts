import { AppError, type SignerSettings, signerAudiences } from '@countersign/core'
import { sql } from 'kysely'
import { findDirectConnection } from '../direct-connection.ts'
import { readJsonColumn } from '../json-column.ts'
import { insertRows } from '../prepared.ts'
import type { SignerCertificateFacts, signerColumns } from '../signer-row.ts'
import type { Transaction } from '../transaction.ts'
import { duplicateError, rejectDuplicates } from '../unique-violation.ts'

export type SignerColumns = ReturnType<typeof signerColumns>

/** A signer that is about to be written. */
export interface SignerToWrite {
  readonly id: string
  readonly settings: SignerSettings
  readonly columns: SignerColumns
}

/** The unique columns, by their index. */
const UNIQUE_COLUMNS = {
  ext_jwt_signers_name: 'name',
  ext_jwt_signers_fingerprint: 'fingerprint',
  ext_jwt_signers_static_kid: 'static_kid',
} as const satisfies Record<string, keyof SignerColumns>
const AUDIENCES_INDEX = 'ext_jwt_signer_audiences_pkey'
const CERTIFICATES_INDEX = 'ext_jwt_signer_certificates_pkey'

/** When several values are taken, the first of these is reported, independent of the database's order. */
const REPORT_ORDER = [
  'ext_jwt_signers_name',
  AUDIENCES_INDEX,
  'ext_jwt_signers_fingerprint',
  CERTIFICATES_INDEX,
  'ext_jwt_signers_static_kid',
] as const

/** Runs statements; the violation of a unique index becomes an error that names the taken value. */
export async function rejectDuplicateSigner(
  tx: Transaction,
  signer: SignerToWrite,
  statements: () => Promise<unknown>,
): Promise<void> {
  const { db, dialect } = tx
  // After an error PostgreSQL runs no query in the transaction, unless it is rolled back to a savepoint. The statements follow without waiting for it.
  const savepoint = dialect === 'postgres' && findDirectConnection(db)?.rowsOf('savepoint before_statement', [])
  try {
    await Promise.all([savepoint, rejectDuplicates(uniqueValues(signer.columns), statements)])
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (dialect === 'postgres') await sql`rollback to savepoint before_statement`.execute(db)
    // Not found when a concurrent write that this transaction does not see has taken the value.
    throw (await findDuplicate(tx, signer)) ?? error
  }
}

/** Records the signer's audiences. The primary key refuses audiences of another signer with the same issuer. */
export async function replaceAudiences({ db }: Transaction, { id, settings }: SignerToWrite): Promise<void> {
  await db.deleteFrom('ext_jwt_signer_audiences').where('signer_id', '=', id).execute()
  await insertAudiences({ db }, { id, settings })
}

/** Like `replaceAudiences`, for a new signer. */
export async function insertAudiences(
  { db }: Pick<Transaction, 'db'>,
  { id, settings }: Pick<SignerToWrite, 'id' | 'settings'>,
): Promise<void> {
  const { issuer } = settings
  // Sorted, so that concurrent writes cannot deadlock.
  const audiences = signerAudiences(settings).toSorted()
  await insertRows(
    db,
    'ext_jwt_signer_audiences',
    audiences.map((audience) => ({ issuer, audience, signer_id: id })),
  )
}

/** Records the signer's certificates. The primary key refuses those of another signer. */
export async function replaceCertificates({ db }: Transaction, signer: SignerToWrite): Promise<void> {
  await db.deleteFrom('ext_jwt_signer_certificates').where('signer_id', '=', signer.id).execute()
  await insertCertificates({ db }, signer)
}

/** Like `replaceCertificates`, for a new signer. */
export async function insertCertificates(
  { db }: Pick<Transaction, 'db'>,
  { id, columns }: Pick<SignerToWrite, 'id' | 'columns'>,
): Promise<void> {
  const rows = fingerprintsOf(columns).map((fingerprint) => ({ fingerprint, signer_id: id }))
  if (rows.length > 0) await insertRows(db, 'ext_jwt_signer_certificates', rows)
}

/** Sorted, so that concurrent writes cannot deadlock. */
function fingerprintsOf({ fingerprint, certificates }: SignerColumns): string[] {
  const several = certificates === null ? [] : readJsonColumn<readonly SignerCertificateFacts[]>(certificates)
  return [...(fingerprint === null ? [] : [fingerprint]), ...several.map((each) => each.fingerprint)].toSorted()
}

/** The error for a unique value that another signer has. For the message only: the indexes enforce uniqueness. */
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
    .innerJoin('ext_jwt_signers', 'ext_jwt_signers.id', 'ext_jwt_signer_audiences.signer_id')
    .select('ext_jwt_signers.name as name')
    .where('ext_jwt_signer_audiences.issuer', '=', settings.issuer)
    .where('ext_jwt_signer_audiences.audience', 'in', signerAudiences(settings))
    .where('signer_id', '!=', id)
    .limit(1)
    .executeTakeFirst()
  const fingerprints = fingerprintsOf(columns)
  const sharedCertificate =
    fingerprints.length === 0
      ? undefined
      : await db
          .selectFrom('ext_jwt_signer_certificates')
          .innerJoin('ext_jwt_signers', 'ext_jwt_signers.id', 'ext_jwt_signer_certificates.signer_id')
          .select('ext_jwt_signers.name as name')
          .where('ext_jwt_signer_certificates.fingerprint', 'in', fingerprints)
          .where('signer_id', '!=', id)
          .limit(1)
          .executeTakeFirst()
  const ownerOf = (index: (typeof REPORT_ORDER)[number]): string | undefined => {
    if (index === AUDIENCES_INDEX) return sharedAudience?.name
    if (index === CERTIFICATES_INDEX) return sharedCertificate?.name
    const name = UNIQUE_COLUMNS[index]
    return columns[name] === null ? undefined : others.find((other) => other[name] === columns[name])?.name
  }
  const taken = REPORT_ORDER.find((index) => ownerOf(index) !== undefined)
  return taken && duplicateError(taken, uniqueValues(columns), ownerOf(taken))
}

export function changesUniqueValue(current: SignerColumns, next: SignerColumns): boolean {
  return (
    Object.values(UNIQUE_COLUMNS).some((name) => current[name] !== next[name]) ||
    changesAudiences(current, next) ||
    changesCertificates(current, next)
  )
}

export function changesCertificates(current: SignerColumns, next: SignerColumns): boolean {
  return current.fingerprint !== next.fingerprint || current.certificates !== next.certificates
}

export function changesAudiences(current: SignerColumns, next: SignerColumns): boolean {
  const names = ['issuer', 'audience', 'additional_audiences'] as const
  return names.some((name) => current[name] !== next[name])
}

/** The values by the field names of errors. */
function uniqueValues(columns: SignerColumns) {
  const { name, issuer, static_kid } = columns
  const [fingerprint = null] = fingerprintsOf(columns)
  return { name, issuer, fingerprint, kid: static_kid }
}
