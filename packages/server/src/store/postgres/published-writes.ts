import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@countersign/core'
import type { ChangeListener, OwnChangeListener } from '../change.ts'
import type { ChangeSharing } from '../change-sharing.ts'
import type { AnyOperation } from '../operation.ts'
import type { OperationMeta } from '../operation-meta.ts'
import type { NewRecord } from '../writes/record-writes.ts'
import type { ChangeFeed } from './change-feed.ts'
import { isUnavailable, STATEMENT_CHANGED } from './connection-error.ts'
import type { LoggedChanges } from './notification.ts'

/** The result of an operation that has been committed. */
export interface Committed extends LoggedChanges {
  readonly result: unknown
  /** What its transaction recorded of it. */
  readonly records: readonly NewRecord[]
}

export interface PublishedWritesOptions {
  readonly feed: Pick<ChangeFeed, 'noteOwn'>
  readonly publish: ChangeListener
  readonly publishOwn: OwnChangeListener
  readonly sharing?: ChangeSharing | undefined
  /** Runs and commits an operation. Rejects with its `AppError`, or the error of the database. */
  commit(operation: AnyOperation, args: unknown, meta: OperationMeta): Promise<Committed>
  /** Called when an operation has failed with this error of the database. */
  onFailure(operation: AnyOperation, error: unknown): void
}

/** Retries after a serialization failure or deadlock, with exponential backoff. */
const MAX_RETRIES = 3
const RETRY_BACKOFF_MS = 10
const RETRYABLE = new Set<unknown>(['40001', '40P01', STATEMENT_CHANGED])

/**
 * Runs operations on a database that nodes share. Their changes are published on this node before the promise resolves; other nodes are notified
 * by the commit.
 */
export class PublishedWrites {
  readonly #options: PublishedWritesOptions

  constructor(options: PublishedWritesOptions) {
    this.#options = options
  }

  /** Rejects with the `AppError` of the operation, and with STORE_UNAVAILABLE when it is not known to be committed. */
  async run(operation: AnyOperation, args: unknown, meta: OperationMeta): Promise<unknown> {
    const { commit, onFailure, publish } = this.#options
    for (let retries = 0; ; retries++) {
      try {
        const committed = await commit(operation, args, meta)
        await this.#publish(committed, meta)
        return committed.result
      } catch (error) {
        if (error instanceof AppError) throw error
        onFailure(operation, error)
        const isRetryable = RETRYABLE.has((error as { code?: unknown } | null | undefined)?.code)
        if (isRetryable && retries < MAX_RETRIES) {
          await sleep(Math.random() * RETRY_BACKOFF_MS * 2 ** retries)
          continue
        }
        if (!isRetryable && !isUnavailable(error)) throw error
        // The commit may have succeeded without its reply.
        publish('everything')
        throw new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
      }
    }
  }

  async #publish({ changes, entries }: Committed, meta: OperationMeta): Promise<void> {
    if (changes.length === 0) return
    const { feed, publish, publishOwn, sharing } = this.#options
    feed.noteOwn(entries)
    publish(changes)
    publishOwn(changes, meta)
    await sharing?.announce(changes)
  }
}
