import { AppError, buildVerifySigner, SignerIndex, type VerifySigner } from '@countersign/core'
import type { Logger } from 'pino'
import type { Change } from '../store/change.ts'
import { findSignerRows, loadSignerRows } from '../store/reads/signer-reads.ts'
import type { SignerRow } from '../store/schema.ts'
import { type StoredSigner, signerFromRow } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'

/** A signer ready for verifying: as stored, and prepared once for each revision. */
export interface DirectorySigner {
  readonly id: string
  readonly issuer: string
  readonly audience: string
  readonly additionalAudiences: readonly string[]
  readonly stored: StoredSigner
  readonly verify: VerifySigner
}

/**
 * Every signer in memory, so that choosing one costs the same however many there are. Signers that the change log reports as changed are read
 * again before the next call returns: no token is verified by an outdated signer.
 */
export class SignerDirectory {
  readonly #store: Store
  readonly #log: Logger
  readonly #index = new SignerIndex<DirectorySigner>()
  readonly #stored = new Map<string, StoredSigner>()
  #stale: Set<string> | 'everything' = 'everything'
  #reading: Promise<void> | undefined

  constructor(store: Store, log: Logger) {
    this.#store = store
    this.#log = log
    store.onChange((changes) => this.#follow(changes))
  }

  /** The enabled signers as they are now; at once unless a change has to be read first. Fails with `STORE_UNAVAILABLE` when that fails. */
  enabled(): SignerIndex<DirectorySigner> | Promise<SignerIndex<DirectorySigner>> {
    return this.#isSettled() ? this.#index : this.#settle().then(() => this.#index)
  }

  /** The signer with this id, enabled or not. */
  async find(id: string): Promise<StoredSigner | undefined> {
    await this.#settle()
    return this.#stored.get(id)
  }

  /** Every signer, enabled or not. */
  async all(): Promise<readonly StoredSigner[]> {
    await this.#settle()
    return [...this.#stored.values()]
  }

  #follow(changes: readonly Change[] | 'everything'): void {
    if (changes === 'everything') this.#stale = 'everything'
    else if (this.#stale !== 'everything') {
      for (const { entity, id } of changes) if (entity === 'externalJwtSigners') this.#stale.add(id)
    }
  }

  #isStale(): boolean {
    return this.#stale === 'everything' || this.#stale.size > 0
  }

  #isSettled(): boolean {
    return !this.#isStale() && this.#reading === undefined
  }

  async #settle(): Promise<void> {
    while (!this.#isSettled()) {
      this.#reading ??= this.#catchUp().finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
  }

  async #catchUp(): Promise<void> {
    while (this.#isStale()) {
      const wanted = this.#stale
      this.#stale = new Set()
      try {
        if (wanted === 'everything') await this.#readEverything()
        else await this.#readSome([...wanted])
      } catch (error) {
        this.#stale = 'everything'
        throw new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
      }
    }
  }

  async #readEverything(): Promise<void> {
    const gone = new Set(this.#stored.keys())
    for await (const rows of loadSignerRows(this.#store.db)) {
      for (const row of rows) {
        this.#take(row)
        gone.delete(row.id)
      }
    }
    for (const id of gone) this.#forget(id)
  }

  async #readSome(ids: readonly string[]): Promise<void> {
    const rows = await findSignerRows(this.#store.db, ids)
    const found = new Map(rows.map((row) => [row.id, row]))
    for (const id of ids) {
      const row = found.get(id)
      if (row) this.#take(row)
      else this.#forget(id)
    }
  }

  #take(row: SignerRow): void {
    const signer = signerFromRow(row)
    this.#stored.set(signer.id, signer)
    this.#index.delete(signer.id)
    if (signer.isDamaged) this.#log.error({ signerId: signer.id }, 'a stored signer cannot be read and is off')
    if (!signer.enabled) return
    try {
      const { id, issuer, audience, additionalAudiences } = signer
      this.#index.put({ id, issuer, audience, additionalAudiences, stored: signer, verify: buildVerifySigner(signer) })
    } catch (error) {
      this.#log.error({ signerId: signer.id, err: error }, 'a stored signer cannot be used and is left out')
    }
  }

  #forget(id: string): void {
    this.#stored.delete(id)
    this.#index.delete(id)
  }
}
