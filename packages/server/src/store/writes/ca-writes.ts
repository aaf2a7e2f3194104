import type { CaCertificateFacts, CaSettings, Trust } from '@countersign/core'
import { caColumns, type StoredCa } from '../ca-row.ts'
import type { CaIntermediate } from '../reads/ca-reads.ts'
import type { Transaction } from '../transaction.ts'
import { trustColumns } from '../trust-row.ts'
import { rejectDuplicates } from '../unique-violation.ts'
import { deleteEnrollment } from './enrollment-writes.ts'

const ENTITY = 'cas'

export interface NewCa {
  readonly settings: CaSettings
  readonly certPem: string
  readonly certificate: CaCertificateFacts
  readonly verificationToken: string
  readonly trust: Trust
}

/** Fails with COULD_NOT_VALIDATE when the name is taken. */
export async function insertCa(
  tx: Transaction,
  id: string,
  { settings, certPem, certificate, verificationToken, trust }: NewCa,
): Promise<void> {
  const { db, now } = tx
  await rejectDuplicates({ name: settings.name, certPem: '' }, () =>
    db
      .insertInto('cas')
      .values({
        id,
        ...caColumns(settings),
        cert_pem: certPem,
        fingerprint: certificate.fingerprint,
        subject_digest: certificate.subjectDigest,
        is_verified: false,
        verification_token: verificationToken,
        revision: 1,
        ...trustColumns(trust),
        created_at: now,
        updated_at: now,
      })
      .execute(),
  )
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

/** Fails with COULD_NOT_VALIDATE when the name is taken. */
export async function updateCa(
  tx: Transaction,
  { id, revision }: Pick<StoredCa, 'id' | 'revision'>,
  change: { readonly settings: CaSettings; readonly trust: Trust; readonly endsSessions: boolean },
): Promise<void> {
  const { settings, trust, endsSessions } = change
  await rejectDuplicates({ name: settings.name }, () =>
    tx.db
      .updateTable('cas')
      .set({
        ...caColumns(settings),
        ...trustColumns(trust),
        revision: endsSessions ? revision + 1 : revision,
        updated_at: tx.now,
      })
      .where('id', '=', id)
      .execute(),
  )
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

export async function setCaVerified(tx: Transaction, id: string): Promise<void> {
  await tx.db.updateTable('cas').set({ is_verified: true, updated_at: tx.now }).where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** The most that are kept of one CA. */
const MAX_INTERMEDIATES = 250

/** Keeps certificates that stand between the CA and those that log in. The oldest give way to new ones. */
export async function insertCaIntermediates(
  { db, now }: Transaction,
  caId: string,
  intermediates: readonly CaIntermediate[],
): Promise<void> {
  const rows = intermediates.map(({ fingerprint, subjectDigest, certPem }) => ({
    ca_id: caId,
    fingerprint,
    subject_digest: subjectDigest,
    cert_pem: certPem,
    noted_at: now,
  }))
  await db
    .insertInto('ca_intermediates')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const ofCa = db.selectFrom('ca_intermediates').select('fingerprint').where('ca_id', '=', caId)
  const surplus = await ofCa.orderBy('noted_at', 'desc').offset(MAX_INTERMEDIATES).limit(100).execute()
  if (surplus.length === 0) return
  const fingerprints = surplus.map(({ fingerprint }) => fingerprint)
  await db.deleteFrom('ca_intermediates').where('ca_id', '=', caId).where('fingerprint', 'in', fingerprints).execute()
}

/** Deletes the CA with its pending enrollments. */
export async function deleteCa(tx: Transaction, id: string): Promise<void> {
  const pending = await tx.db.selectFrom('enrollments').select('id').where('ca_id', '=', id).execute()
  for (const enrollment of pending) await deleteEnrollment(tx, enrollment.id)
  await tx.db.deleteFrom('ca_intermediates').where('ca_id', '=', id).execute()
  await tx.db.deleteFrom('cas').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}
