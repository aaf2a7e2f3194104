import { AppError, buildVerifySigner, SignerIndex, type VerifySigner } from '@countersign/core'
import type { Logger } from 'pino'
import { findSignerRows, loadSignerRows } from '../store/reads/signer-reads.ts'
import type { SignerRow } from '../store/schema.ts'
import { type StoredSigner, signerFromRow } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'

/** A signer ready for verifying: as it is stored, and prepared once for each revision. */
export interface DirectorySigner {
  readonly id: string
  readonly issuer: string
  readonly audience: string
  readonly stored: StoredSigner
  readonly verify: VerifySigner
}

export interface SignerDirectory {
  /** The enabled signers as they are now. Fails with `STORE_UNAVAILABLE` while that cannot be told. */
  enabled(): SignerIndex<DirectorySigner> | Promise<SignerIndex<DirectorySigner>>
  /** The signer with this id, enabled or not. */
  find(id: string): Promise<StoredSigner | undefined>
  /** Every signer, enabled or not. */
  all(): Promise<readonly StoredSigner[]>
}

/**
 * Every signer in memory, so that choosing one costs the same however many there are. What a write has changed is read
 * again before the next question is answered: nobody is ever judged by what a signer was.
 */
export function createSignerDirectory(store: Store, log: Logger): SignerDirectory {
  const index = new SignerIndex<DirectorySigner>()
  const stored = new Map<string, StoredSigner>()
  let stale: Set<string> | 'everything' = 'everything'
  let reading: Promise<void> | undefined

  store.onChange((changes) => {
    if (changes === 'everything') stale = 'everything'
    else if (stale !== 'everything') {
      for (const { entity, id } of changes) if (entity === 'externalJwtSigners') stale.add(id)
    }
  })

  const take = (row: SignerRow): void => {
    const signer = signerFromRow(row)
    stored.set(signer.id, signer)
    index.delete(signer.id)
    if (signer.isDamaged) log.error({ signerId: signer.id }, 'a stored signer cannot be read and is off')
    if (!signer.enabled) return
    try {
      const { id, issuer, audience } = signer
      index.put({ id, issuer, audience, stored: signer, verify: buildVerifySigner(signer) })
    } catch (error) {
      log.error({ signerId: signer.id, err: error }, 'a stored signer cannot be used and is left out')
    }
  }

  const forget = (id: string): void => {
    stored.delete(id)
    index.delete(id)
  }

  const readEverything = async (): Promise<void> => {
    const gone = new Set(stored.keys())
    for await (const rows of loadSignerRows(store.db)) {
      for (const row of rows) {
        take(row)
        gone.delete(row.id)
      }
    }
    for (const id of gone) forget(id)
  }

  const readSome = async (ids: readonly string[]): Promise<void> => {
    const rows = await findSignerRows(store.db, ids)
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const id of ids) {
      const row = found.get(id)
      if (row) take(row)
      else forget(id)
    }
  }

  const isStale = (): boolean => stale === 'everything' || stale.size > 0

  const catchUp = async (): Promise<void> => {
    while (isStale()) {
      const wanted = stale
      stale = new Set()
      try {
        if (wanted === 'everything') await readEverything()
        else await readSome([...wanted])
      } catch (error) {
        stale = 'everything'
        throw new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
      }
    }
  }

  const isSettled = (): boolean => !isStale() && reading === undefined

  const settle = async (): Promise<void> => {
    while (!isSettled()) {
      reading ??= catchUp().finally(() => {
        reading = undefined
      })
      await reading
    }
  }

  return {
    enabled: () => (isSettled() ? index : settle().then(() => index)),
    find: async (id) => {
      await settle()
      return stored.get(id)
    },
    all: async () => {
      await settle()
      return [...stored.values()]
    },
  }
}
