import { findPemBlocks, parseCertificate, type RevocationReason, readIssuerKeyId } from '@countersign/core'
import { sql } from 'kysely'
import { idList } from '../id-list.ts'
import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

export interface IssuedCertificate {
  /** The certificate, and further ones after it. */
  readonly certPem: string
  /** SHA-1 in lower-case hex. */
  readonly fingerprint: string
  readonly identityId: string
  readonly authenticatorId: string | null
  readonly isOfSession: boolean
}

/**
 * Records a certificate, so that it can be revoked. One that is recorded again for its identity is valid again. For another identity it is not: programs
 * that verify it by the list take it for that of the identity that it names.
 */
export async function recordIssuedCertificate(tx: Transaction, issued: IssuedCertificate): Promise<void> {
  const [der] = findPemBlocks(issued.certPem, 'CERTIFICATE') ?? []
  if (!der) throw new TypeError('there is no certificate')
  const parsed = parseCertificate(der)
  const columns = {
    issuer_key_id: readIssuerKeyId(parsed) ?? '',
    fingerprint: issued.fingerprint,
    identity_id: issued.identityId,
    authenticator_id: issued.authenticatorId,
    is_of_session: issued.isOfSession,
    not_after: parsed.notAfter.getTime(),
    revoked_at: null,
    revocation_reason: null,
  }
  const serial = parsed.serial.toString('hex')
  const recorded = await tx.db
    .insertInto('issued_certificates')
    .values({ serial, ...columns })
    .onConflict((conflict) =>
      conflict.column('serial').doUpdateSet(columns).where('issued_certificates.identity_id', '=', issued.identityId),
    )
    .returning('serial')
    .executeTakeFirst()
  if (!recorded) await withdraw(tx, { serial, fingerprint: issued.fingerprint })
}

/** Revokes a certificate for good. Another CA may have given another certificate the same serial: that one is left alone. */
async function withdraw(
  tx: Transaction,
  { serial, fingerprint }: { readonly serial: string; readonly fingerprint: string },
): Promise<void> {
  const withdrawn = await tx.db
    .updateTable('issued_certificates')
    .set({ revocation_reason: 'privilegeWithdrawn' satisfies RevocationReason, revoked_at: tx.now })
    .where('serial', '=', serial)
    .where('fingerprint', '=', fingerprint)
    .where((eb) => eb.or([eb('revocation_reason', 'is', null), eb('revocation_reason', '=', 'certificateHold')]))
    .returning('issuer_key_id')
    .executeTakeFirst()
  if (withdrawn) await touchRevocationList(tx, withdrawn.issuer_key_id)
}

/** Puts certificates on the lists of their issuers, or takes them off when `reason` is null. */
export async function setRevocations(
  { db, dialect, now }: Transaction,
  serials: readonly string[],
  reason: RevocationReason | null,
): Promise<void> {
  await db
    .updateTable('issued_certificates')
    .set({ revocation_reason: reason, revoked_at: reason === null ? null : now })
    .where(sql<boolean>`serial ${idList(dialect, serials).isIn}`)
    .execute()
}

/** Notes that the list of an issuer must change. */
export async function touchRevocationList({ db }: Transaction, issuerKeyId: string): Promise<void> {
  await db
    .insertInto('revocation_lists')
    .values({ issuer_key_id: issuerKeyId, revision: 1, ...NOT_PUBLISHED })
    .onConflict((conflict) =>
      conflict.column('issuer_key_id').doUpdateSet((eb) => ({ revision: eb('revocation_lists.revision', '+', 1) })),
    )
    .execute()
}

const NOT_PUBLISHED = { published_revision: -1, number: 0, this_update: 0, next_update: 0, der: '' }

export interface PublishedList {
  readonly issuerKeyId: string
  readonly revision: number
  /** The number of the list that this one replaces. */
  readonly replaces: number
  readonly number: number
  readonly thisUpdate: number
  readonly nextUpdate: number
  /** Base64. */
  readonly der: string
}

/** Stores a list unless another one was stored meanwhile. Returns whether it is stored. Not reported as a change: nodes compare its number. */
export async function storeRevocationList({ db }: Transaction, list: PublishedList): Promise<boolean> {
  const { issuerKeyId, revision, replaces, number, thisUpdate, nextUpdate, der } = list
  await db
    .insertInto('revocation_lists')
    .values({ issuer_key_id: issuerKeyId, revision, ...NOT_PUBLISHED })
    .onConflict((conflict) => conflict.column('issuer_key_id').doNothing())
    .execute()
  const stored = await db
    .updateTable('revocation_lists')
    .set({ published_revision: revision, number, this_update: thisUpdate, next_update: nextUpdate, der })
    .where('issuer_key_id', '=', issuerKeyId)
    .where('number', '=', replaces)
    .returning('number')
    .execute()
  return stored.length > 0
}

/** Forgets up to `limit` certificates that expired before this time. Returns how many. */
export async function deleteExpiredCertificates(
  { db, dialect }: Transaction,
  before: number,
  limit: number,
): Promise<number> {
  const expired = db.selectFrom('issued_certificates').select('serial').where('not_after', '<', before).limit(limit)
  const deleted = db.deleteFrom('issued_certificates').where('serial', 'in', skipLocked(dialect, expired))
  return (await deleted.returning('serial').execute()).length
}
