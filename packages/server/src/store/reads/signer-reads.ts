import {
  type EnrollPolicy,
  enrollPolicyId,
  isEverything,
  type Paging,
  type Predicate,
  type SignerSettings,
} from '@countersign/core'
import type { Kysely } from 'kysely'
import { CLIENT_SIGNER_FILTER, SIGNER_FILTER } from '../filter-tables.ts'
import type { FilterTable } from '../filter-to-sql.ts'
import { notFound } from '../not-found.ts'
import { prepared } from '../prepared.ts'
import type { Database, SignerRow } from '../schema.ts'
import { readSignerRow, type StoredSigner, signerFromRow } from '../signer-row.ts'
import type { Store } from '../store.ts'
import { listPage, listRows } from './list-rows.ts'

const signerById = prepared(1, (db, id: string) => db.selectFrom('ext_jwt_signers').selectAll().where('id', '=', id))

export async function findSigner(db: Kysely<Database>, id: string): Promise<StoredSigner | undefined> {
  const [row] = await signerById(db, id)
  return row && signerFromRow(row)
}

/** The signer, for changing it. Fails with NOT_FOUND, and throws for a row of which something would be lost. */
export async function getSigner(db: Kysely<Database>, id: string): Promise<StoredSigner> {
  const [row] = await signerById(db, id)
  if (!row) throw notFound('externalJwtSigner', id)
  return readSignerRow(row)
}

/** Those of the ids that signers have. */
export async function findKnownSignerIds(db: Kysely<Database>, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('ext_jwt_signers').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

const SIGNERS_AT_ONCE = 500

/** Every signer, in pages, in the order of ids. */
export async function* loadSignerRows(db: Kysely<Database>): AsyncGenerator<readonly SignerRow[]> {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('ext_jwt_signers')
      .selectAll()
      .where('id', '>', after)
      .orderBy('id')
      .limit(SIGNERS_AT_ONCE)
      .execute()
    yield rows
    const last = rows.at(-1)
    if (!last || rows.length < SIGNERS_AT_ONCE) return
    after = last.id
  }
}

/** The signers with these ids, as far as they exist. */
export async function findSignerRows(db: Kysely<Database>, ids: readonly string[]): Promise<SignerRow[]> {
  return db.selectFrom('ext_jwt_signers').selectAll().where('id', 'in', ids).execute()
}

const revisionById = prepared(1, (db, id: string) =>
  db.selectFrom('ext_jwt_signers').select(['id', 'revision']).where('id', '=', id),
)

/** The present revision of a signer: none or one row. */
export async function findSignerRevision(
  db: Kysely<Database>,
  id: string,
): Promise<readonly Pick<SignerRow, 'id' | 'revision'>[]> {
  return revisionById(db, id)
}

const policyById = prepared(1, (db, id: string) =>
  db.selectFrom('auth_policies').select(['cert_allowed', 'ext_jwt_allowed']).where('id', '=', id),
)

/** What the policy of those who enroll through a signer allows. */
export async function findEnrollPolicy(
  db: Kysely<Database>,
  signer: Pick<SignerSettings, 'enrollAuthPolicyId'>,
): Promise<EnrollPolicy | undefined> {
  const [row] = await policyById(db, enrollPolicyId(signer))
  return row && { certAllowed: Boolean(row.cert_allowed), extJwtAllowed: Boolean(row.ext_jwt_allowed) }
}

/** What a caller may ask of the client view is narrower than what decides which signers are in it. */
const ENABLED_SIGNERS: FilterTable = {
  table: SIGNER_FILTER.table,
  columns: new Map([...SIGNER_FILTER.columns, ...CLIENT_SIGNER_FILTER.columns]),
}

const IS_ENABLED: Predicate = {
  kind: 'comparison',
  comparison: {
    operand: { kind: 'symbol', symbol: 'enabled', type: 'bool' },
    negated: false,
    kind: 'equal',
    value: true,
  },
}

/** The enabled signers that match, and how many there are before paging: `countAll` knows it where none is left out. */
export async function listEnabledSigners(store: Store, paging: Paging, countAll?: () => Promise<number>) {
  const { limit, predicate } = paging
  const enabled = { ...paging, predicate: { kind: 'and' as const, terms: [IS_ENABLED, predicate] } }
  const known = isEverything(predicate) ? countAll : undefined
  const { rows, totalCount } =
    limit === 'none'
      ? wholeOf(await listRows<SignerRow>(store, ENABLED_SIGNERS, enabled))
      : await listPage<SignerRow>(store, ENABLED_SIGNERS, { ...enabled, limit }, undefined, known)
  return { signers: rows.map(signerFromRow).filter(({ enabled }) => enabled), totalCount }
}

const wholeOf = (rows: readonly SignerRow[]) => ({ rows, totalCount: rows.length })

const enabledSignerById = prepared(1, (db, id: string) =>
  db.selectFrom('ext_jwt_signers').select('written_by_admin').where('id', '=', id).where('enabled', '=', true),
)

/** Whether an administrator wrote a signer; undefined when it is gone or disabled. */
export async function findEnabledSignerTrust(
  db: Kysely<Database>,
  id: string,
): Promise<Pick<StoredSigner, 'writtenByAdmin'> | undefined> {
  const [row] = await enabledSignerById(db, id)
  return row && { writtenByAdmin: Boolean(row.written_by_admin) }
}

/** Names and issuers of all signers. */
export async function listSignerIssuers(db: Kysely<Database>): Promise<Pick<SignerRow, 'name' | 'issuer'>[]> {
  return db.selectFrom('ext_jwt_signers').select(['name', 'issuer']).execute()
}
