import { BoundedCache } from '@countersign/core'
import type { SignerRow } from '../../store/schema.ts'
import { signerFromRow } from '../../store/signer-row.ts'
import type { Store } from '../../store/store.ts'
import { signerView } from './ext-jwt-signer-view.ts'

/** What a list reads of a signer; the rest is remembered for this revision. */
export const SIGNER_LIST_COLUMNS = ['id', 'revision']
export type SignerListRow = Pick<SignerRow, 'id' | 'revision'>

const MAX_REMEMBERED_TEXTS = 2_000

/**
 * Signers as JSON text, for lists: a signer is read and put into words once for each revision, since lists are asked for far
 * more often than signers change.
 */
export function createSignerTexts(store: Store) {
  const remembered = new BoundedCache<string, { readonly revision: number; readonly text: string }>(
    MAX_REMEMBERED_TEXTS,
  )

  return async (rows: readonly SignerListRow[], collection: string): Promise<string[]> => {
    const known = new Map<string, string>()
    const missing: string[] = []
    for (const { id, revision } of rows) {
      const entry = remembered.get(`${collection}/${id}`)
      if (entry?.revision === revision) known.set(id, entry.text)
      else missing.push(id)
    }
    if (missing.length > 0) {
      const found = await store.db.selectFrom('ext_jwt_signers').selectAll().where('id', 'in', missing).execute()
      for (const row of found) {
        const text = JSON.stringify(signerView(signerFromRow(row), collection))
        remembered.set(`${collection}/${row.id}`, { revision: row.revision, text })
        known.set(row.id, text)
      }
    }
    // One that was deleted after the page was read is left out.
    return rows.flatMap(({ id }) => known.get(id) ?? [])
  }
}
