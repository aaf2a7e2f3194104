import { createLruCache, type LruCache } from '@countersign/core'

const MAX_IDENTITIES = 1_000
const MAX_INCOMPLETE = 1_000

/** A session and its last recorded use. */
export interface SessionUse {
  readonly id: string
  readonly last_activity_at: number
}

/** Sessions that lack a second factor. */
export interface IncompleteSessions {
  readonly ids: string[]
  /** Whether these were all when they were read: new ones of this process are added. */
  readonly isWhole: boolean
}

/**
 * The least recently used sessions of identities that have as many as they may, in that order. Sorting an identity's sessions at each of its
 * logins takes many times longer than the rest of the login. A rollback must call `clear`.
 */
export class IdleSessions {
  readonly #byIdentity: LruCache<string, SessionUse[]> = createLruCache(MAX_IDENTITIES)
  readonly #incomplete: LruCache<string, IncompleteSessions> = createLruCache(MAX_IDENTITIES)

  /** Removes and returns the next session. */
  takeNext(identityId: string): SessionUse | undefined {
    return this.#byIdentity.get(identityId)?.shift()
  }

  set(identityId: string, sessions: SessionUse[]): void {
    this.#byIdentity.set(identityId, sessions)
  }

  /** The incomplete sessions of an identity, oldest first, if they were read. The caller removes those that it takes. */
  incompleteOf(identityId: string): IncompleteSessions | undefined {
    return this.#incomplete.get(identityId)
  }

  setIncomplete(identityId: string, sessions: IncompleteSessions | undefined): void {
    if (sessions) this.#incomplete.set(identityId, sessions)
    else this.#incomplete.delete(identityId)
  }

  /** A new session that lacks a second factor. */
  addIncomplete(identityId: string, sessionId: string): void {
    const known = this.#incomplete.get(identityId)
    if (!known?.isWhole) return
    if (known.ids.length < MAX_INCOMPLETE) known.ids.push(sessionId)
    else this.#incomplete.delete(identityId)
  }

  clear(): void {
    this.#byIdentity.clear()
    this.#incomplete.clear()
  }
}
