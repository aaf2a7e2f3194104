import { createLruCache, type LruCache } from '@countersign/core'

const MAX_IDENTITIES = 1_000

/** A session and its last recorded use. */
export interface SessionUse {
  readonly id: string
  readonly last_activity_at: number
}

/**
 * The least recently used sessions of identities that have as many as they may, in that order. Sorting an identity's sessions at each of its
 * logins takes many times longer than the rest of the login. A rollback must call `clear`.
 */
export class IdleSessions {
  readonly #byIdentity: LruCache<string, SessionUse[]> = createLruCache(MAX_IDENTITIES)

  /** Removes and returns the next session. */
  takeNext(identityId: string): SessionUse | undefined {
    return this.#byIdentity.get(identityId)?.shift()
  }

  set(identityId: string, sessions: SessionUse[]): void {
    this.#byIdentity.set(identityId, sessions)
  }

  clear(): void {
    this.#byIdentity.clear()
  }
}
