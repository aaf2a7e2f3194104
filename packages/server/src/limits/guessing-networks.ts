import { clientNetwork, createLruCache, findClientSite, TokenBuckets } from '@countersign/core'

interface Guesser {
  /** The time of its last guess or refused poll. */
  at: number
  /** From then on. */
  waitMs: number
}

const MAX_GUESSERS = 50_000
/** How long wrong guesses count. */
export const FORGET_MS = 3_600_000
const PLACES = { burst: 5, perSecond: 1 / 60 }

/**
 * Networks that have guessed wrong for an account. Other networks have a few places outside the account's delay, so that one guesser does not
 * keep the owner out. The first guess of each network takes a place: guesses from many networks leave none.
 */
export class GuessingNetworks {
  readonly #guessers = createLruCache<string, Guesser>(MAX_GUESSERS)
  readonly #places = new TokenBuckets(PLACES)

  /** Whether the network has not guessed yet and there is a place for it, which is then taken. */
  takePlace(name: string, now: number): boolean {
    if (this.#find(name, now) || this.#places.take(accountOf(name), now) > 0) return false
    // Before the result is known: concurrent guesses of one network take one place.
    this.#guessers.set(name, { at: now, waitMs: 0 })
    return true
  }

  /** The time until the network may use the account's next turn. */
  waitOf(name: string, now: number): number {
    const guesser = this.#find(name, now)
    // A clock that is set back must not extend the wait.
    return guesser ? guesser.waitMs - Math.abs(now - guesser.at) : 0
  }

  noteGuess(name: string, now: number, waitMs: number): void {
    if (!this.#find(name, now)) this.#places.spend(accountOf(name), 1, now)
    this.#guessers.set(name, { at: now, waitMs })
  }

  /** Makes a network that has guessed wait. */
  delay(name: string, now: number, waitMs: number): void {
    if (this.#find(name, now)) this.#guessers.set(name, { at: now, waitMs })
  }

  #find(name: string, now: number): Guesser | undefined {
    const guesser = this.#guessers.get(name)
    return guesser && Math.abs(now - guesser.at) < FORGET_MS ? guesser : undefined
  }
}

/** By /48 for IPv6: one guesser can have many /64 networks. */
export function guesserName(account: string, address: string): string {
  return `${findClientSite(address) ?? clientNetwork(address)}\n${account}`
}

export function accountOf(name: string): string {
  return name.slice(name.indexOf('\n') + 1)
}
