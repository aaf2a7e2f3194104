import { hasSinks } from '../../store/reads/event-sink-reads.ts'
import type { Store } from '../../store/store.ts'

/** Whether there are sinks, in memory: without any, events are not recorded. */
export class KnownSinks {
  readonly #store: Pick<Store, 'db' | 'onChange'>
  #generation = 0
  #exist: boolean | undefined

  constructor(store: Pick<Store, 'db' | 'onChange'>) {
    this.#store = store
    void this.load()
    store.onChange((changes) => {
      if (changes !== 'everything' && !changes.some(({ entity }) => entity === 'eventSinks')) return
      void this.load()
    })
  }

  /** True until it is known: records that no sink needs are deleted, missing ones are lost. */
  get exist(): boolean {
    return this.#exist ?? true
  }

  /** Reads it. Never rejects. */
  async load(): Promise<void> {
    const generation = ++this.#generation
    // While it is read, a sink may exist already.
    if (this.#exist === false) this.#exist = undefined
    try {
      const exist = await hasSinks(this.#store.db)
      if (generation === this.#generation) this.#exist = exist
    } catch {
      // The next round of deliveries reads again.
    }
  }

  get isLoaded(): boolean {
    return this.#exist !== undefined
  }
}
