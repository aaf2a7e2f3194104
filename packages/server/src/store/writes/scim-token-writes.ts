import { insertRow } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'

const ENTITY = 'scimTokens'

export interface NewScimToken {
  readonly id: string
  readonly signerId: string
  readonly tokenDigest: string
  readonly createdBy: { readonly id: string; readonly name: string }
}

export async function insertScimToken(
  tx: Transaction,
  { id, signerId, tokenDigest, createdBy }: NewScimToken,
): Promise<void> {
  await insertRow(tx.db, 'scim_tokens', {
    id,
    signer_id: signerId,
    token_digest: tokenDigest,
    created_by_id: createdBy.id,
    created_by_name: createdBy.name,
    created_at: tx.now,
    updated_at: tx.now,
  })
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

/** Returns whether the signer had such a token. */
export async function deleteScimToken(tx: Transaction, signerId: string, id: string): Promise<boolean> {
  const deleted = tx.db.deleteFrom('scim_tokens').where('id', '=', id).where('signer_id', '=', signerId)
  const isDeleted = (await deleted.returning('id').execute()).length > 0
  if (isDeleted) tx.changed({ entity: ENTITY, id, action: 'deleted' })
  return isDeleted
}
