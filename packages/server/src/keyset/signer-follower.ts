import { AppError } from '@countersign/core'
import type { Logger } from 'pino'
import type { Scheduler } from '../platform/scheduler.ts'
import { type Change, isReport } from '../store/change.ts'
import { keyOwnerOf, signalKeysId } from '../store/key-signer.ts'
import { type LoadedKeySigner, loadKeySigner, loadKeySigners } from '../store/reads/key-signer-reads.ts'
import type { Store } from '../store/store.ts'

interface SignerFollowerOptions {
  readonly store: Store
  readonly scheduler: Scheduler
  readonly log: Logger
  /** Called with the current signer, enabled or not. `isFromAnotherNode` when another node changed it. */
  onLoaded(loaded: LoadedKeySigner, by: { isFromAnotherNode: boolean }): void
  onDeleted(id: string): void
  /** Ids of the signers that were loaded and not deleted. */
  knownIds(): readonly string[]
}

const RETRY_MS = 5_000
/** Stands for all signers in `#wanted` and `#reading`. */
const ALL = '*'

/**
 * Reads every signer once, and again whenever the change log reports a change. Retries while the store is unavailable; until then a signer that
 * may have changed is not used, since a key of it may have been withdrawn.
 */
export class SignerFollower {
  /** Resolves when every signer has been read once. */
  readonly loaded: Promise<void>
  readonly #options: SignerFollowerOptions
  /** Ids to read, or `ALL`. A signer that changes while it is read is read again. */
  readonly #wanted = new Set<string>()
  readonly #reading = new Map<string, Promise<void>>()
  /** Why the last read of a signer, or of `ALL`, has failed. */
  readonly #failures = new Map<string, unknown>()
  /** Signers that were read since the read of `ALL` has failed. */
  readonly #readSince = new Set<string>()
  /** What waits for another try. Requests try earlier. */
  readonly #retried = new Set<string>()
  /** Ids of signers that changed while `ALL` is read: the pages may have what they were before. */
  readonly #changedMeanwhile = new Set<string>()
  /** Ids of signers that other nodes changed, unless `onOwnChange` removes them. */
  readonly #changedElsewhere = new Set<string>()
  #isStopped = false

  constructor(options: SignerFollowerOptions) {
    this.#options = options
    options.store.onChange((changes) => this.#follow(changes))
    // Called after the other listeners, and before the signers are read.
    options.store.onOwnChange((changes) => {
      for (const { id } of changes) {
        this.#changedElsewhere.delete(id)
        this.#changedElsewhere.delete(signalKeysId(id))
      }
    })
    this.loaded = this.#read(ALL)
  }

  /** Reads a signer again. */
  reload(id: string): void {
    void this.#read(id)
  }

  /** Resolves when what has changed of a signer has been read; undefined when it is. Rejects with STORE_UNAVAILABLE when it cannot be read. */
  reading(id: string): Promise<void> | undefined {
    const isKnown = this.#failures.size === 0 && !this.#reading.has(id) && !this.#reading.has(ALL)
    return isKnown ? undefined : this.#readUnlessKnown(id)
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
      if ((entity !== 'externalJwtSigners' && entity !== 'identityProviders') || isReport(action)) continue
      const ids = entity === 'externalJwtSigners' && keyOwnerOf(id) === id ? [id, signalKeysId(id)] : [id]
      for (const each of ids) {
        if (this.#reading.has(ALL)) this.#changedMeanwhile.add(each)
        if (action === 'deleted') this.#options.onDeleted(each)
        else this.#changedElsewhere.add(each)
        // A read under way can find the signer as it was before it was deleted.
        if (action !== 'deleted' || this.#reading.has(each)) this.reload(each)
      }
    }
  }

  async #readUnlessKnown(id: string): Promise<void> {
    await this.#reading.get(id)
    await this.#reading.get(ALL)
    if (this.#failureOf(id) !== undefined) await this.#read(id)
    const cause = this.#failureOf(id)
    if (cause !== undefined) throw new AppError('STORE_UNAVAILABLE', undefined, { cause })
  }

  #failureOf(id: string): unknown {
    return this.#failures.get(id) ?? (this.#readSince.has(id) ? undefined : this.#failures.get(ALL))
  }

  /** Never rejects. */
  #read(what: string): Promise<void> {
    this.#wanted.add(what)
    const running = this.#reading.get(what)
    if (running || this.#isStopped) return running ?? Promise.resolve()
    const reading = this.#readWanted(what)
    this.#reading.set(what, reading)
    return reading
  }

  /** Reads until nothing is wanted. Always waits at least once, so that the caller can note the reading. */
  async #readWanted(what: string): Promise<void> {
    try {
      while (!this.#isStopped && this.#wanted.delete(what)) await (what === ALL ? this.#loadAll() : this.#loadOne(what))
      this.#noteResult(what, undefined)
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the signers could not be read for their keys, retrying')
      this.#noteResult(what, error)
      this.#retryLater(what)
    } finally {
      this.#reading.delete(what)
    }
  }

  #retryLater(what: string): void {
    if (this.#retried.has(what)) return
    this.#retried.add(what)
    this.#options.scheduler.after(RETRY_MS, () => {
      this.#retried.delete(what)
      if (!this.#isStopped && this.#failures.has(what)) this.reload(what)
    })
  }

  #noteResult(what: string, failure: unknown): void {
    if (failure === undefined) this.#failures.delete(what)
    else this.#failures.set(what, failure)
    if (what === ALL) this.#readSince.clear()
    else if (failure === undefined && this.#failures.has(ALL)) this.#readSince.add(what)
  }

  async #loadAll(): Promise<void> {
    const { store, knownIds } = this.#options
    const seen = new Set<string>()
    this.#changedMeanwhile.clear()
    for await (const page of loadKeySigners(store)) {
      if (this.#isStopped) return
      for (const loaded of page) {
        seen.add(loaded.signer.id)
        // A signer that changed meanwhile is read on its own, unless it was deleted.
        if (!this.#changedMeanwhile.has(loaded.signer.id)) this.#options.onLoaded(loaded, { isFromAnotherNode: false })
      }
    }
    for (const id of knownIds()) if (!seen.has(id)) this.reload(id)
  }

  async #loadOne(id: string): Promise<void> {
    const loaded = await loadKeySigner(this.#options.store, id)
    if (this.#isStopped) return
    const isFromAnotherNode = this.#changedElsewhere.delete(id)
    if (loaded) this.#options.onLoaded(loaded, { isFromAnotherNode })
    else this.#options.onDeleted(id)
  }
}
