import type { NearMiss, SignerSettings, Trust } from '@countersign/core'
import { insertRow } from '../prepared.ts'
import { type SignerCertificateFacts, type StoredSigner, signerColumns } from '../signer-row.ts'
import type { Transaction } from '../transaction.ts'
import { trustColumns } from '../trust-row.ts'
import {
  changesAudiences,
  changesUniqueValue,
  insertAudiences,
  rejectDuplicateSigner,
  replaceAudiences,
} from './signer-duplicates.ts'

const ENTITY = 'externalJwtSigners'

export interface SignerValues {
  readonly settings: SignerSettings
  readonly certificate: SignerCertificateFacts | null
  readonly nearMisses: readonly NearMiss[]
  readonly trust: Trust
}

export interface ChangedSignerValues extends SignerValues {
  readonly endsSessions: boolean
}

export async function insertSigner(
  tx: Transaction,
  id: string,
  { settings, certificate, nearMisses, trust }: SignerValues,
): Promise<void> {
  const { db, now } = tx
  const columns = signerColumns(settings, certificate)
  const signer = { id, settings, columns }
  await rejectDuplicateSigner(tx, signer, async () => {
    await insertRow(db, 'ext_jwt_signers', {
      id,
      ...columns,
      ...trustColumns(trust),
      near_misses: JSON.stringify(nearMisses),
      revision: 1,
      created_at: now,
      updated_at: now,
    })
    await insertAudiences(tx, signer)
  })
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

export async function updateSigner(
  tx: Transaction,
  current: StoredSigner,
  { settings, certificate, nearMisses, trust, endsSessions }: ChangedSignerValues,
): Promise<void> {
  const { db, now } = tx
  const { id } = current
  const columns = signerColumns(settings, certificate)
  const currentColumns = signerColumns(current, current.certificate)
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
        updated_at: now,
      })
      .where('id', '=', id)
      .execute()
    if (changesAudiences(currentColumns, columns)) await replaceAudiences(tx, signer)
  }
  await (changesUniqueValue(currentColumns, columns) ? rejectDuplicateSigner(tx, signer, update) : update())
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

export async function deleteSigner(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('ext_jwt_signers').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}
