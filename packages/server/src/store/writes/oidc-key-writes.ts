import { insertRow } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'

const ENTITY = 'oidcKeys'

export interface NewOidcKey {
  readonly kid: string
  /** JSON. */
  readonly publicJwk: string
  /** Sealed. */
  readonly privateKey: string
}

export async function insertOidcKey(tx: Transaction, key: NewOidcKey & { readonly activeAt: number }): Promise<void> {
  const { kid, publicJwk, privateKey, activeAt } = key
  await insertRow(tx.db, 'oidc_keys', {
    kid,
    public_jwk: publicJwk,
    private_key: privateKey,
    created_at: tx.now,
    active_at: activeAt,
  })
  tx.changed({ entity: ENTITY, id: kid, action: 'created' })
}

/** Deletes the keys that were active before this time. */
export async function deleteOidcKeysBefore(tx: Transaction, activeBefore: number): Promise<void> {
  const deleted = await tx.db.deleteFrom('oidc_keys').where('active_at', '<', activeBefore).returning('kid').execute()
  for (const { kid } of deleted) tx.changed({ entity: ENTITY, id: kid, action: 'deleted' })
}
