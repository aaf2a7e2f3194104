import { BoundedCache } from '@countersign/core'

const MAX_IDENTITIES = 20_000

interface SessionCountsOptions {
  /** Others write to the same database. */
  readonly isShared: boolean
}

/**
 * What the writer knows of numbers of sessions while a commit is under way. To count an identity's for each new one takes longer than all the
 * rest of a sign-in, so where nobody else writes they are remembered; and the number of all is written once for all that are started together.
 * Whatever is undone forgets it all.
 */
export class SessionCounts {
  readonly #ofIdentities: BoundedCache<string, number> | undefined
  #notWritten = 0

  constructor({ isShared }: SessionCountsOptions) {
    this.#ofIdentities = isShared ? undefined : new BoundedCache(MAX_IDENTITIES)
  }

  /** Undefined where they must be counted. */
  of(identityId: string): number | undefined {
    return this.#ofIdentities?.get(identityId)
  }

  /** One more than there were. */
  noteStarted(identityId: string, countBefore: number): void {
    this.#ofIdentities?.set(identityId, countBefore + 1)
    this.#notWritten += 1
  }

  noteEnded(identityId: string): void {
    const count = this.#ofIdentities?.get(identityId)
    if (count !== undefined) this.#ofIdentities?.set(identityId, count - 1)
  }

  /** How many were started that the number of all does not hold yet; it must be made to hold them in the same commit. */
  takeNotWritten(): number {
    const started = this.#notWritten
    this.#notWritten = 0
    return started
  }

  forget(): void {
    this.#ofIdentities?.clear()
    this.#notWritten = 0
  }
}
