import type { NearMiss, SignerSettings, Trust } from '@countersign/core'
import { insertRow } from '../prepared.ts'
import { type SignerKeyFacts, type StoredSigner, signerColumns } from '../signer-row.ts'
import type { Transaction } from '../transaction.ts'
import { trustColumns } from '../trust-row.ts'
import { deleteKeySet } from './key-set-writes.ts'
import {
  changesAudiences,
  changesCertificates,
  changesUniqueValue,
  insertAudiences,
  insertCertificates,
  rejectDuplicateSigner,
  replaceAudiences,
  replaceCertificates,
} from './signer-duplicates.ts'

const ENTITY = 'externalJwtSigners'

export interface SignerValues {
  readonly settings: SignerSettings
  readonly keyFacts: SignerKeyFacts
  readonly nearMisses: readonly NearMiss[]
  readonly trust: Trust
}

export interface ChangedSignerValues extends SignerValues {
  /** Whether all its sessions end. */
  readonly endsSessions: boolean
  /** The keys whose sessions have ended, see `StoredSigner`. */
  readonly removedKeys: readonly string[]
}

/** The values of a signer that is written as it is. */
export function unchangedSigner(signer: StoredSigner): ChangedSignerValues {
  const { nearMisses, trust, removedKeys } = signer
  return { settings: signer, keyFacts: signer, nearMisses, trust, endsSessions: false, removedKeys }
}

export async function insertSigner(
  tx: Transaction,
  id: string,
  { settings, keyFacts, nearMisses, trust }: SignerValues,
): Promise<void> {
  const { db, now } = tx
  const columns = signerColumns(settings, keyFacts)
  const signer = { id, settings, columns }
  const row = {
    id,
    ...columns,
    ...trustColumns(trust),
    near_misses: JSON.stringify(nearMisses),
    revision: 1,
    created_at: now,
    updated_at: now,
  }
  // On PostgreSQL these share one round trip.
  await rejectDuplicateSigner(tx, signer, () =>
    Promise.all([insertRow(db, 'ext_jwt_signers', row), insertAudiences(tx, signer), insertCertificates(tx, signer)]),
  )
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

export async function updateSigner(
  tx: Transaction,
  current: StoredSigner,
  { settings, keyFacts, nearMisses, trust, endsSessions, removedKeys }: ChangedSignerValues,
): Promise<void> {
  const { db, now } = tx
  const { id } = current
  const columns = signerColumns(settings, keyFacts)
  const currentColumns = signerColumns(current, current)
  const signer = { id, settings, columns }
  const update = async () => {
    await db
      .updateTable('ext_jwt_signers')
      .set({
        ...columns,
        ...trustColumns(trust),
        near_misses: JSON.stringify(nearMisses),
        revision: current.revision + 1,
        session_revision: current.sessionRevision + (endsSessions ? 1 : 0),
        removed_keys: JSON.stringify(removedKeys),
        updated_at: now,
      })
      .where('id', '=', id)
      .execute()
    if (changesAudiences(currentColumns, columns)) await replaceAudiences(tx, signer)
    if (changesCertificates(currentColumns, columns)) await replaceCertificates(tx, signer)
  }
  await (changesUniqueValue(currentColumns, columns) ? rejectDuplicateSigner(tx, signer, update) : update())
  // Pushed keys must not come back with the setting.
  if (current.pushedKeys && !settings.pushedKeys) await deleteKeySet(tx, id)
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

export async function deleteSigner(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('ext_jwt_signers').where('id', '=', id).execute()
  await tx.db.deleteFrom('kept_logins').where('signer_id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}
