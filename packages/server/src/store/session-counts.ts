import { createLruCache, type LruCache } from '@countersign/core'

const MAX_IDENTITIES = 20_000

interface SessionCountsOptions {
  /** Whether other processes write to the same database. */
  readonly isShared: boolean
}

/**
 * Session counts of the writer. Counting an identity's sessions at each login takes longer than the rest of the login, so the counts are cached
 * where no other process writes. The total is written once per commit, for all sessions started in it. A rollback must call `clear`.
 */
export class SessionCounts {
  readonly #byIdentity: LruCache<string, number> | undefined
  #unwritten = 0

  constructor({ isShared }: SessionCountsOptions) {
    this.#byIdentity = isShared ? undefined : createLruCache(MAX_IDENTITIES)
  }

  /** Undefined when the sessions must be counted in the database. */
  get(identityId: string): number | undefined {
    return this.#byIdentity?.get(identityId)
  }

  noteStarted(identityId: string, countBefore: number): void {
    this.#byIdentity?.set(identityId, countBefore + 1)
    this.#unwritten += 1
  }

  noteEnded(identityId: string): void {
    const count = this.#byIdentity?.get(identityId)
    if (count !== undefined) this.#byIdentity?.set(identityId, count - 1)
  }

  /** Returns and resets the number of started sessions that the total lacks. The caller must add it in the same commit. */
  takeUnwritten(): number {
    const started = this.#unwritten
    this.#unwritten = 0
    return started
  }

  clear(): void {
    this.#byIdentity?.clear()
    this.#unwritten = 0
  }
}
