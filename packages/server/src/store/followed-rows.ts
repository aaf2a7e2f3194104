import { AppError } from '@countersign/core'
import { type Change, type ChangedEntity, isReport } from './change.ts'
import type { Store } from './store.ts'

/** The ids of rows to read, of which some may be deleted. */
export type WantedRows = readonly string[] | 'everything'

/** Calls `read` for all rows of an entity at first, and then for those that the change log reports as changed, before `settle` resolves. */
export class FollowedRows {
  readonly #read: (wanted: WantedRows) => Promise<void>
  #stale: Set<string> | 'everything' = 'everything'
  #reading: Promise<void> | undefined

  constructor(store: Pick<Store, 'onChange'>, entity: ChangedEntity, read: (wanted: WantedRows) => Promise<void>) {
    this.#read = read
    store.onChange((changes) => this.#markStale(changes, entity))
  }

  /** Throws STORE_UNAVAILABLE when reading fails. */
  async settle(): Promise<void> {
    while (this.#isStale() || this.#reading !== undefined) {
      this.#reading ??= this.#catchUp().finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
  }

  /** Reads the row again before `settle` resolves. */
  expire(id: string): void {
    if (this.#stale !== 'everything') this.#stale.add(id)
  }

  #markStale(changes: readonly Change[] | 'everything', followed: ChangedEntity): void {
    if (changes === 'everything') this.#stale = 'everything'
    else for (const { entity, id, action } of changes) if (entity === followed && !isReport(action)) this.expire(id)
  }

  #isStale(): boolean {
    return this.#stale === 'everything' || this.#stale.size > 0
  }

  async #catchUp(): Promise<void> {
    while (this.#isStale()) {
      const wanted = this.#stale
      this.#stale = new Set()
      try {
        await this.#read(wanted === 'everything' ? wanted : [...wanted])
      } catch (error) {
        this.#stale = 'everything'
        throw new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
      }
    }
  }
}
