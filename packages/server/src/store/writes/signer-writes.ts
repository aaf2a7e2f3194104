import type { SignerSettings } from '@countersign/core'
import { insertRow } from '../prepared.ts'
import { type SignerCertificateFacts, type StoredSigner, signerColumns } from '../signer-row.ts'
import type { Transaction } from '../transaction.ts'
import { changesUniqueValue, refusingDuplicateSigner } from './signer-duplicates.ts'

const ENTITY = 'externalJwtSigners'

/** A signer to write: its settings, what its certificate says, and whether an administrator wrote it. */
export interface SignerToWrite {
  readonly settings: SignerSettings
  readonly certificate: SignerCertificateFacts | null
  readonly writtenByAdmin: boolean
}

export async function insertSigner(
  tx: Transaction,
  id: string,
  { settings, certificate, writtenByAdmin }: SignerToWrite,
): Promise<void> {
  const { db, now } = tx
  const columns = signerColumns(settings, certificate)
  await refusingDuplicateSigner(tx, id, columns, () =>
    insertRow(db, 'ext_jwt_signers', {
      id,
      ...columns,
      written_by_admin: writtenByAdmin,
      revision: 1,
      created_at: now,
      updated_at: now,
    }),
  )
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

export async function updateSigner(
  tx: Transaction,
  current: StoredSigner,
  { settings, certificate, writtenByAdmin }: SignerToWrite,
): Promise<void> {
  const { db, now } = tx
  const { id } = current
  const columns = signerColumns(settings, certificate)
  const update = () =>
    db
      .updateTable('ext_jwt_signers')
      .set({ ...columns, written_by_admin: writtenByAdmin, revision: current.revision + 1, updated_at: now })
      .where('id', '=', id)
      .execute()
  const mayClash = changesUniqueValue(signerColumns(current, current.certificate), columns)
  await (mayClash ? refusingDuplicateSigner(tx, id, columns, update) : update())
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

export async function deleteSigner(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('ext_jwt_signers').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}
