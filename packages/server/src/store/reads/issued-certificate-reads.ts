import { type RevocationReason, type RevokedCertificate, revocationReasonOf } from '@countersign/core'
import { sql } from 'kysely'
import { SYSTEM_ACTOR } from '../actor.ts'
import { idList } from '../id-list.ts'
import { hasAccess } from '../identity-row.ts'
import type { RevocationListRow } from '../revocation-schema.ts'
import type { ReadDatabase, Store } from '../store.ts'
import type { Transaction } from '../transaction.ts'

/** A certificate whose place on the list of its issuer is not what it must be. */
export interface OutdatedCertificate {
  readonly serial: string
  readonly issuerKeyId: string
  /** What it must be. */
  readonly reason: RevocationReason | null
}

/** Which certificates to compare: all, or those of these identities and authenticators. */
export type CertificateScope =
  | 'all'
  | { readonly identityIds: readonly string[]; readonly authenticatorIds: readonly string[] }

/** Some certificates by their serial. */
interface CertificatesBySerial {
  readonly serials: readonly string[]
}

/** Compares certificates with what they rest on. */
export async function findOutdatedCertificates(
  on: Pick<Transaction, 'db' | 'dialect'>,
  certificates: CertificatesBySerial,
  now: number,
): Promise<readonly OutdatedCertificate[]> {
  return outdatedOf(await recordedCertificates(on, certificates).execute(), now)
}

/**
 * Compares a page of certificates with what they rest on. `next` is the serial after which the next page begins; undefined when there is none. One
 * identity can have many.
 */
export async function readOutdatedCertificates(
  store: Pick<Store, 'db' | 'dialect' | 'readLong'>,
  { scope, after, limit }: { readonly scope: CertificateScope; readonly after: string; readonly limit: number },
  now: number,
): Promise<{ readonly outdated: readonly OutdatedCertificate[]; readonly next: string | undefined }> {
  const page = recordedCertificates(store, scope).where('certificates.serial', '>', after).limit(limit)
  const rows = await store.readLong(SYSTEM_ACTOR.id, page.compile())
  return { outdated: outdatedOf(rows, now), next: rows.length < limit ? undefined : rows.at(-1)?.serial }
}

/** Those that are not revoked for good, with what they rest on. */
function recordedCertificates(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  scope: CertificateScope | CertificatesBySerial,
) {
  const all = db
    .selectFrom('issued_certificates as certificates')
    .leftJoin('identities', 'identities.id', 'certificates.identity_id')
    .leftJoin('authenticators', 'authenticators.id', 'certificates.authenticator_id')
    .select([
      'certificates.serial',
      'certificates.issuer_key_id',
      'certificates.fingerprint',
      'certificates.authenticator_id',
      'certificates.is_of_session',
      'certificates.revocation_reason',
      'identities.id as identity',
      'identities.disabled_at',
      'identities.disabled_until',
      'identities.expires_at',
      'identities.has_expired',
      'authenticators.id as authenticator',
      'authenticators.fingerprint as current',
      'authenticators.pending_fingerprint as pending',
    ])
    .where((eb) =>
      eb.or([
        eb('certificates.revocation_reason', 'is', null),
        eb('certificates.revocation_reason', '=', 'certificateHold'),
      ]),
    )
    .orderBy('certificates.serial')
  const isIn = (column: string, ids: readonly string[]) => sql<boolean>`${sql.ref(column)} ${idList(dialect, ids).isIn}`
  if (scope === 'all') return all
  if ('serials' in scope) return all.where(isIn('certificates.serial', scope.serials))
  return all.where((eb) =>
    eb.or([
      isIn('certificates.identity_id', scope.identityIds),
      isIn('certificates.authenticator_id', scope.authenticatorIds),
    ]),
  )
}

type RecordedCertificate = Awaited<ReturnType<ReturnType<typeof recordedCertificates>['execute']>>[number]

function outdatedOf(rows: readonly RecordedCertificate[], now: number): OutdatedCertificate[] {
  return rows.flatMap((row) => {
    const access = {
      disabledAt: row.disabled_at,
      disabledUntil: row.disabled_until,
      expiresAt: row.expires_at,
      hasExpired: Boolean(row.has_expired),
    }
    const before = row.revocation_reason as RevocationReason | null
    const isKnown = row.fingerprint === row.current || row.fingerprint === row.pending
    const reason = revocationReasonOf({
      reason: before,
      hasAccess: row.identity === null ? undefined : hasAccess(access, now),
      hasAuthenticator: row.authenticator_id === null ? undefined : row.authenticator !== null,
      isCurrent: Boolean(row.is_of_session) || isKnown,
    })
    return reason === before ? [] : [{ serial: row.serial, issuerKeyId: row.issuer_key_id, reason }]
  })
}

/** The serials of up to `limit` held certificates whose identities are enabled again at `now` without a change. */
export async function findReleasedCertificates(db: ReadDatabase, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('issued_certificates as certificates')
    .innerJoin('identities', 'identities.id', 'certificates.identity_id')
    .select('certificates.serial')
    // A literal makes the partial index usable.
    .where('certificates.revocation_reason', '=', sql.lit('certificateHold'))
    .where('identities.disabled_until', '<=', now)
    .where('identities.has_expired', '=', false)
    .limit(limit)
    .execute()
  return rows.map(({ serial }) => serial)
}

/** The revoked certificates of an issuer, by serial. Their number grows with the data. */
export async function listRevokedCertificates(
  { db, readLong }: Pick<Store, 'db' | 'readLong'>,
  issuerKeyId: string,
): Promise<RevokedCertificate[]> {
  const query = db
    .selectFrom('issued_certificates')
    .select(['serial', 'revoked_at', 'revocation_reason'])
    .where('issuer_key_id', '=', issuerKeyId)
    .where('revocation_reason', 'is not', null)
    .orderBy('serial')
  const rows = await readLong(SYSTEM_ACTOR.id, query.compile())
  return rows.map(({ serial, revoked_at: revokedAt, revocation_reason: reason }) => ({
    serial,
    revokedAt: Number(revokedAt),
    reason: reason as RevocationReason,
  }))
}

export async function findRevocationList(
  db: ReadDatabase,
  issuerKeyId: string,
): Promise<RevocationListRow | undefined> {
  return db.selectFrom('revocation_lists').selectAll().where('issuer_key_id', '=', issuerKeyId).executeTakeFirst()
}

/** Like `findRevocationList`, without the list itself. */
export async function findListState(
  db: ReadDatabase,
  issuerKeyId: string,
): Promise<Omit<RevocationListRow, 'der'> | undefined> {
  return db
    .selectFrom('revocation_lists')
    .select(['issuer_key_id', 'revision', 'published_revision', 'number', 'this_update', 'next_update'])
    .where('issuer_key_id', '=', issuerKeyId)
    .executeTakeFirst()
}

/** Up to `limit` authenticators whose certificates are not recorded: those of earlier releases. */
export async function findUnrecordedCertificates(
  db: ReadDatabase,
  limit: number,
): Promise<
  { readonly id: string; readonly identity_id: string; readonly fingerprint: string; readonly cert_pem: string }[]
> {
  const rows = await db
    .selectFrom('authenticators')
    .select(['id', 'identity_id', 'fingerprint', 'cert_pem'])
    .where('method', '=', 'cert')
    .where('ca_fingerprint', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('issued_certificates')
            .select('serial')
            .whereRef('issued_certificates.fingerprint', '=', 'authenticators.fingerprint'),
        ),
      ),
    )
    .limit(limit)
    .execute()
  return rows.map(({ fingerprint, cert_pem: certPem, ...row }) => ({
    ...row,
    fingerprint: fingerprint ?? '',
    cert_pem: certPem ?? '',
  }))
}
