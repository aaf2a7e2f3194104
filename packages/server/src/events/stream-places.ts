import { AppError } from '@countersign/core'

/** The caller of an event stream. */
export interface StreamHolder {
  readonly identityId: string
  readonly isAdmin: boolean
}

const SHARE_OF_OTHERS = 1 / 2
const SHARE_OF_ONE = 1 / 4

/**
 * The places for event streams. Administrators find one even when other callers open as many streams as they can: together these hold at most
 * half of the places, and each of them a quarter.
 */
export class StreamPlaces {
  readonly #max: number
  readonly #held = new Set<StreamHolder>()

  constructor(max: number) {
    this.#max = max
  }

  /** Returns a function that gives the place back. Throws when there is none. */
  take({ identityId, isAdmin }: StreamHolder): () => void {
    const others = [...this.#held].filter((held) => !held.isAdmin)
    const own = others.filter((held) => held.identityId === identityId)
    const isOverShare =
      !isAdmin && (others.length >= this.#share(SHARE_OF_OTHERS) || own.length >= this.#share(SHARE_OF_ONE))
    if (this.#held.size >= this.#max || isOverShare) throw new AppError('SERVER_TOO_MANY_REQUESTS')
    const holder = { identityId, isAdmin }
    this.#held.add(holder)
    return () => void this.#held.delete(holder)
  }

  #share(share: number): number {
    return Math.max(1, Math.floor(this.#max * share))
  }
}
