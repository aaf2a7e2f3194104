import { type EnrollPolicy, enrollPolicyId, type SignerSettings, type Trust } from '@countersign/core'
import type { Kysely } from 'kysely'
import { readJsonColumn } from '../json-column.ts'
import { notFound } from '../not-found.ts'
import { prepared } from '../prepared.ts'
import type { Database, SignerRow } from '../schema.ts'
import { readSignerRow, type StoredSigner, signerFromRow } from '../signer-row.ts'

const signerById = prepared(1, (db, id: string) => db.selectFrom('ext_jwt_signers').selectAll().where('id', '=', id))

export async function findSigner(db: Kysely<Database>, id: string): Promise<StoredSigner | undefined> {
  const [row] = await signerById(db, id)
  return row && signerFromRow(row)
}

/** The signer, for changing it. Fails with NOT_FOUND. Throws when part of the row cannot be read, because the write would lose it. */
export async function getSigner(db: Kysely<Database>, id: string): Promise<StoredSigner> {
  const [row] = await signerById(db, id)
  if (!row) throw notFound('externalJwtSigner', id)
  return readSignerRow(row)
}

/** The signers with these ids that exist. */
export async function findKnownSigners(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly oneUse: boolean }>> {
  const rows = await db.selectFrom('ext_jwt_signers').select(['id', 'one_use']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, one_use }) => [id, { oneUse: Boolean(one_use) }]))
}

const SIGNER_BATCH = 500

/** All signers in the order of ids, in pages. */
export async function* loadSignerRows(db: Kysely<Database>): AsyncGenerator<readonly SignerRow[]> {
  for (let after = ''; ; ) {
    const rows = await db
      .selectFrom('ext_jwt_signers')
      .selectAll()
      .where('id', '>', after)
      .orderBy('id')
      .limit(SIGNER_BATCH)
      .execute()
    yield rows
    const last = rows.at(-1)
    if (!last || rows.length < SIGNER_BATCH) return
    after = last.id
  }
}

/** The existing signers among these ids. */
export async function findSignerRows(db: Kysely<Database>, ids: readonly string[]): Promise<SignerRow[]> {
  return db.selectFrom('ext_jwt_signers').selectAll().where('id', 'in', ids).execute()
}

const revisionById = prepared(1, (db, id: string) =>
  db.selectFrom('ext_jwt_signers').select(['id', 'revision']).where('id', '=', id),
)

/** The current revision of a signer: no row or one. */
export async function findSignerRevision(
  db: Kysely<Database>,
  id: string,
): Promise<readonly Pick<SignerRow, 'id' | 'revision'>[]> {
  return revisionById(db, id)
}

/** Whether there is such a signer, enabled or not. */
export async function hasSigner(db: Kysely<Database>, id: string): Promise<boolean> {
  return (await revisionById(db, id)).length > 0
}

const policyById = prepared(1, (db, id: string) =>
  db.selectFrom('auth_policies').select(['cert_allowed', 'ext_jwt_allowed']).where('id', '=', id),
)

/** What the policy of identities that enroll through the signer allows. */
export async function findEnrollPolicy(
  db: Kysely<Database>,
  signer: Pick<SignerSettings, 'enrollAuthPolicyId'>,
): Promise<EnrollPolicy | undefined> {
  const [row] = await policyById(db, enrollPolicyId(signer))
  return row && { certAllowed: Boolean(row.cert_allowed), extJwtAllowed: Boolean(row.ext_jwt_allowed) }
}

/** The signers whose tokens are accepted for administrators. Reads no others, which callers with few rights can make large. */
export async function listTrustedSigners(db: Kysely<Database>): Promise<StoredSigner[]> {
  const enabled = db.selectFrom('ext_jwt_signers').selectAll().where('enabled', '=', true)
  return (await enabled.where('is_trusted', '=', true).execute()).map(signerFromRow)
}

const enabledSignerById = prepared(1, (db, id: string) =>
  db
    .selectFrom('ext_jwt_signers')
    .select(['is_trusted', 'revision', 'session_revision', 'removed_keys', 'use_external_id'])
    .where('id', '=', id)
    .where('enabled', '=', true),
)

export type EnabledSignerTrust = Pick<Trust, 'isTrusted'> &
  Pick<StoredSigner, 'revision' | 'sessionRevision' | 'removedKeys' | 'useExternalId'>

/** Whether the signer is trusted, its revisions, and how its tokens name identities; undefined when it is deleted or disabled. */
export async function findEnabledSignerTrust(
  db: Kysely<Database>,
  id: string,
): Promise<EnabledSignerTrust | undefined> {
  const [row] = await enabledSignerById(db, id)
  return (
    row && {
      isTrusted: Boolean(row.is_trusted),
      revision: row.revision,
      sessionRevision: row.session_revision,
      removedKeys: readJsonColumn(row.removed_keys),
      useExternalId: Boolean(row.use_external_id),
    }
  )
}

/** Whether another signer with this issuer is trusted. */
export async function hasTrustedSigner(
  db: Kysely<Database>,
  { issuer, exceptId }: { readonly issuer: string; readonly exceptId: string },
): Promise<boolean> {
  const found = await db
    .selectFrom('ext_jwt_signer_audiences as pair')
    .innerJoin('ext_jwt_signers as signer', 'signer.id', 'pair.signer_id')
    .select('signer.id')
    .where('pair.issuer', '=', issuer)
    .where('signer.id', '!=', exceptId)
    .where('signer.is_trusted', '=', true)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** Names and issuers of all signers. */
export async function listSignerIssuers(
  db: Kysely<Database>,
): Promise<Pick<SignerRow, 'id' | 'name' | 'issuer' | 'audience' | 'jwks_endpoint' | 'enabled'>[]> {
  return db
    .selectFrom('ext_jwt_signers')
    .select(['id', 'name', 'issuer', 'audience', 'jwks_endpoint', 'enabled'])
    .execute()
}
