import { createLruCache } from '@countersign/core'
import { mapInTurns } from '../../platform/map-in-turns.ts'
import { findSignerRevision, findSignerRows } from '../../store/reads/signer-reads.ts'
import type { SignerRow } from '../../store/schema.ts'
import { type StoredSigner, signerFromRow } from '../../store/signer-row.ts'
import type { Store } from '../../store/store.ts'
import { signerView } from './ext-jwt-signer-view.ts'

/** The columns that a list reads; the text of each revision is cached. */
export const SIGNER_LIST_COLUMNS = ['id', 'revision']
export type SignerListRow = Pick<SignerRow, 'id' | 'revision'>

/** A signer, and its management view as JSON text. */
export interface SignerText {
  readonly signer: StoredSigner
  readonly text: string
}

export interface SignerTexts {
  find(id: string, collection: string): Promise<SignerText | undefined>
  /** The texts of a page, without signers that were deleted after the page was read. */
  list(rows: readonly SignerListRow[], collection: string): Promise<string[]>
}

/** About 2,000 common signers. One with many test cases has more than 100,000 characters, and takes a megabyte with its text. */
const MAX_CHARACTERS = 4 * 1024 * 1024

/**
 * Signers as JSON text, serialised once for each revision. Bench rows "list signers, 10 per page": 0.21 ms of CPU time with it and 0.75 without,
 * at a target of 0.20 on an idle machine, and "get one signer": 0.10 and 0.15, at a target of 0.10. Every call reads the revision from the
 * store, so that the text is never stale.
 */
export function createSignerTexts(store: Pick<Store, 'db'>, controllerUrl: () => string): SignerTexts {
  const cache = createLruCache<string, SignerText>(MAX_CHARACTERS, { weightOf: ({ text }) => text.length })
  const keyOf = (id: string, collection: string): string => `${collection}/${id}`

  const load = async (rows: readonly SignerListRow[], collection: string): Promise<Map<string, SignerText>> => {
    const known = new Map<string, SignerText>()
    const missing: string[] = []
    for (const { id, revision } of rows) {
      const entry = cache.get(keyOf(id, collection))
      if (entry?.signer.revision === revision) known.set(id, entry)
      else missing.push(id)
    }
    if (missing.length === 0) return known
    const found = await findSignerRows(store.db, missing)
    const entries = await mapInTurns(found, (row) => {
      const signer = signerFromRow(row)
      return { signer, text: JSON.stringify(signerView(signer, collection, controllerUrl())) }
    })
    for (const entry of entries) {
      const { id } = entry.signer
      cache.set(keyOf(id, collection), entry)
      known.set(id, entry)
    }
    return known
  }

  return {
    find: async (id, collection) => (await load(await findSignerRevision(store.db, id), collection)).get(id),
    list: async (rows, collection) => {
      const known = await load(rows, collection)
      return rows.flatMap(({ id }) => known.get(id)?.text ?? [])
    },
  }
}
