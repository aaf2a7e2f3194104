import { isTrustedFor, type PermissionHolder } from '@countersign/core'
import type { Kysely } from 'kysely'
import { caFromRow, type StoredCa } from '../ca-row.ts'
import { notFound } from '../not-found.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'

type Db = Kysely<Database>

const caById = prepared(1, (db, id: string) => db.selectFrom('cas').selectAll().where('id', '=', id))

export async function findCa(db: Db, id: string): Promise<StoredCa | undefined> {
  const [row] = await caById(db, id)
  return row && caFromRow(row)
}

/** Fails with NOT_FOUND. */
export async function getCa(db: Db, id: string): Promise<StoredCa> {
  const ca = await findCa(db, id)
  if (!ca) throw notFound('ca', id)
  return ca
}

/** The id and name of the CA with a certificate. */
export async function findCaByFingerprint(
  db: Db,
  fingerprint: string,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  return db.selectFrom('cas').select(['id', 'name']).where('fingerprint', '=', fingerprint).executeTakeFirst()
}

/** The verified CAs with one of these names, trusted ones first, then in the order of ids. */
export async function findVerifiedCas(db: Db, subjectDigests: readonly string[]): Promise<StoredCa[]> {
  const rows = await verifiedCas(db).where('subject_digest', 'in', subjectDigests).execute()
  return rows.map(caFromRow)
}

/** The verified CAs with this name or with a stored intermediate of this name, in the same order. */
export async function findVerifiedCasAbove(db: Db, subjectDigest: string): Promise<StoredCa[]> {
  const named = db.selectFrom('ca_intermediates').select('ca_id').where('subject_digest', '=', subjectDigest)
  const rows = await verifiedCas(db)
    .where((eb) => eb.or([eb('subject_digest', '=', subjectDigest), eb('id', 'in', named)]))
    .execute()
  return rows.map(caFromRow)
}

function verifiedCas(db: Db) {
  return db.selectFrom('cas').selectAll().where('is_verified', '=', true).orderBy('is_trusted', 'desc').orderBy('id')
}

export async function hasCas(db: Db): Promise<boolean> {
  return (await db.selectFrom('cas').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** A certificate between a CA and those that log in, as it is stored. */
export interface CaIntermediate {
  readonly fingerprint: string
  readonly subjectDigest: string
  readonly certPem: string
}

/** The certificates in PEM that have stood between the CA and others, with one of these names; the newest eight. */
export async function findCaIntermediates(db: Db, caId: string, subjectDigests: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('ca_intermediates')
    .select('cert_pem')
    .where('ca_id', '=', caId)
    .where('subject_digest', 'in', subjectDigests)
    .orderBy('noted_at', 'desc')
    .limit(8)
    .execute()
  return rows.map((row) => row.cert_pem)
}

/** Those of a CA that are stored. */
export async function findKnownIntermediates(
  db: Db,
  caId: string,
  fingerprints: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('ca_intermediates')
    .select('fingerprint')
    .where('ca_id', '=', caId)
    .where('fingerprint', 'in', fingerprints)
    .execute()
  return new Set(rows.map(({ fingerprint }) => fingerprint))
}

/** The names of some CAs, by id. */
export async function loadCaNames(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('cas')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The certificates of verified CAs with which clients log in or enroll, those of trusted CAs first. */
export async function listClientCaPems(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('cas')
    .select('cert_pem')
    .where('is_verified', '=', true)
    .where((eb) =>
      eb.or([
        eb('is_auth_enabled', '=', true),
        eb('is_auto_ca_enrollment_enabled', '=', true),
        eb('is_ott_ca_enrollment_enabled', '=', true),
      ]),
    )
    .orderBy('is_trusted', 'desc')
    .orderBy('id')
    .execute()
  return rows.map((row) => row.cert_pem)
}

/** Whether certificates of a CA log in, apart from the identity. */
export function isLoginCa({ isVerified, isAuthEnabled }: Pick<StoredCa, 'isVerified' | 'isAuthEnabled'>): boolean {
  return isVerified && isAuthEnabled
}

const loginCaById = prepared(1, (db, id: string) =>
  db
    .selectFrom('cas')
    .select(['is_trusted', 'revision'])
    .where('id', '=', id)
    .where('is_verified', '=', true)
    .where('is_auth_enabled', '=', true),
)

/** Whether sessions that a certificate of the CA opened are still valid for this identity. */
export async function isSessionCa(
  db: Db,
  { id, revision }: { readonly id: string; readonly revision: number },
  identity: PermissionHolder,
): Promise<boolean> {
  const [row] = await loginCaById(db, id)
  if (!row || row.revision !== revision) return false
  return isTrustedFor({ isTrusted: Boolean(row.is_trusted) }, identity)
}
