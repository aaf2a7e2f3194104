import type { Logger } from 'pino'
import type { Scheduler } from '../platform/scheduler.ts'
import type { Change } from '../store/change.ts'
import { type LoadedKeySigner, loadKeySigner, loadKeySigners } from '../store/reads/key-signer-reads.ts'
import type { Store } from '../store/store.ts'

interface SignerFollowerOptions {
  readonly store: Store
  readonly scheduler: Scheduler
  readonly log: Logger
  /** A signer as it is now, enabled or not. `isOfAnotherNode` when another node has changed it. */
  take(loaded: LoadedKeySigner, by: { isOfAnotherNode: boolean }): void
  /** The signer was deleted. */
  forget(id: string): void
  /** Signers that were taken and not forgotten. */
  knownIds(): readonly string[]
}

const RETRY_MS = 5_000
/** Stands for all signers in the set of what is read. */
const ALL = '*'

/**
 * Reads every signer once, and again whenever the change log reports that it has changed. While the store is unavailable it tries again until
 * it succeeds.
 */
export class SignerFollower {
  /** Resolves when every signer has been read once. */
  readonly loaded: Promise<void>
  readonly #options: SignerFollowerOptions
  /** What to read next, an id or `ALL`. A change that comes while its signer is read makes it be read again. */
  readonly #wanted = new Set<string>()
  readonly #reading = new Set<string>()
  /** Signers that other nodes have changed, as far as is known now. */
  readonly #foreign = new Set<string>()
  #isStopped = false

  constructor(options: SignerFollowerOptions) {
    this.#options = options
    options.store.onChange((changes) => this.#follow(changes))
    // Called after the other listeners, and before anything was read.
    options.store.onOwnChange((changes) => {
      for (const { id } of changes) this.#foreign.delete(id)
    })
    this.loaded = this.#read(ALL)
  }

  /** Reads a signer again. */
  reload(id: string): void {
    void this.#read(id)
  }

  stop(): void {
    this.#isStopped = true
  }

  #follow(changes: readonly Change[] | 'everything'): void {
    if (this.#isStopped) return
    if (changes === 'everything') {
      this.reload(ALL)
      return
    }
    for (const { entity, id, action } of changes) {
      if (entity !== 'externalJwtSigners' && entity !== 'identityProviders') continue
      if (action === 'deleted') this.#options.forget(id)
      else {
        this.#foreign.add(id)
        this.reload(id)
      }
    }
  }

  async #read(what: string): Promise<void> {
    const { log, scheduler } = this.#options
    this.#wanted.add(what)
    if (this.#reading.has(what)) return
    this.#reading.add(what)
    try {
      while (!this.#isStopped && this.#wanted.delete(what)) await (what === ALL ? this.#loadAll() : this.#loadOne(what))
    } catch (error) {
      log.warn({ err: error }, 'the signers could not be read for their keys, trying again')
      scheduler.after(RETRY_MS, () => {
        if (!this.#isStopped) this.reload(what)
      })
    } finally {
      this.#reading.delete(what)
    }
  }

  async #loadAll(): Promise<void> {
    const { store, knownIds } = this.#options
    const seen = new Set<string>()
    for await (const page of loadKeySigners(store)) {
      if (this.#isStopped) return
      for (const loaded of page) {
        seen.add(loaded.signer.id)
        // One that changed while the page was read will be read again.
        if (!this.#wanted.has(loaded.signer.id)) this.#options.take(loaded, { isOfAnotherNode: false })
      }
    }
    for (const id of knownIds()) if (!seen.has(id)) this.reload(id)
  }

  async #loadOne(id: string): Promise<void> {
    const loaded = await loadKeySigner(this.#options.store, id)
    if (this.#isStopped) return
    const isOfAnotherNode = this.#foreign.delete(id)
    if (loaded) this.#options.take(loaded, { isOfAnotherNode })
    else this.#options.forget(id)
  }
}
