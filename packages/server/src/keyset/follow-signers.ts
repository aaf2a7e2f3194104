import type { Logger } from 'pino'
import type { Scheduler } from '../platform/scheduler.ts'
import { type LoadedKeySigner, loadKeySigner, loadKeySigners } from '../store/reads/key-signer-reads.ts'
import type { Store } from '../store/store.ts'

interface FollowOptions {
  readonly store: Store
  readonly scheduler: Scheduler
  readonly log: Logger
  /** A signer as it is now; it may be disabled. Another node may have made it so. */
  take(loaded: LoadedKeySigner, by: { isOfAnotherNode: boolean }): void
  /** There is no such signer any more. */
  forget(id: string): void
  /** Signers that were taken and not forgotten. */
  knownIds(): readonly string[]
}

const RETRY_MS = 5_000

export interface SignerFollower {
  /** Reads a signer again. */
  reload(id: string): void
  /** Resolves when every signer has been read once. */
  readonly loaded: Promise<void>
  stop(): void
}

/** Reads every signer once and again whenever the store says that it has changed. Without the store it tries again until it is back. */
export function followSigners(options: FollowOptions): SignerFollower {
  const { store, scheduler, log, take, forget, knownIds } = options
  /** What to read next; `*` is everything. A change that comes while its signer is read makes it be read again. */
  const wanted = new Set<string>()
  const reading = new Set<string>()
  /** Signers that other nodes have changed, as far as is known now. */
  const foreign = new Set<string>()
  let isStopped = false

  const loadOne = async (id: string): Promise<void> => {
    const loaded = await loadKeySigner(store, id)
    if (isStopped) return
    const isOfAnotherNode = foreign.delete(id)
    if (loaded) take(loaded, { isOfAnotherNode })
    else forget(id)
  }

  const loadAll = async (): Promise<void> => {
    const seen = new Set<string>()
    for await (const page of loadKeySigners(store)) {
      if (isStopped) return
      for (const loaded of page) {
        seen.add(loaded.signer.id)
        // What changed while the page was read will be read again, and newer.
        if (!wanted.has(loaded.signer.id)) take(loaded, { isOfAnotherNode: false })
      }
    }
    for (const id of knownIds()) if (!seen.has(id)) void read(id)
  }

  const read = async (what: string): Promise<void> => {
    wanted.add(what)
    if (reading.has(what)) return
    reading.add(what)
    try {
      while (!isStopped && wanted.delete(what)) await (what === '*' ? loadAll() : loadOne(what))
    } catch (error) {
      log.warn({ err: error }, 'the signers could not be read for their keys, trying again')
      scheduler.after(RETRY_MS, () => {
        if (!isStopped) void read(what)
      })
    } finally {
      reading.delete(what)
    }
  }

  store.onChange((changes) => {
    if (isStopped) return
    if (changes === 'everything') return void read('*')
    for (const { entity, id, action } of changes) {
      if (entity !== 'externalJwtSigners' && entity !== 'identityProviders') continue
      if (action === 'deleted') forget(id)
      else {
        foreign.add(id)
        void read(id)
      }
    }
  })
  // Told after the other listeners, and before anything was read.
  store.onOwnChange((changes) => {
    for (const { id } of changes) foreign.delete(id)
  })

  return {
    reload: (id) => void read(id),
    loaded: read('*'),
    stop: () => {
      isStopped = true
    },
  }
}
