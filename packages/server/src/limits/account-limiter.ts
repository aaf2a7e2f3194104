import { createLruCache } from '@countersign/core'
import type { AttemptSharing } from './attempt-sharing.ts'
import { accountOf, FORGET_MS, GuessingNetworks, guesserName } from './guessing-networks.ts'
import type { KnownNetworks } from './known-networks.ts'
import { LimitReporter, type LimitReporterParts } from './limit-reporter.ts'
import { TooManyRequests } from './too-many-requests.ts'

interface AccountLimiterParts extends Omit<LimitReporterParts, 'limit'> {
  /** Wrong passwords without a delay; 0 for no limit. */
  readonly burst: number
  readonly known: KnownNetworks
  readonly sharing?: AttemptSharing | undefined
}

/** A password for an account name. */
interface AccountGuess {
  readonly account: string
  /** The identity that has the name now, if any: its networks are exempt. */
  readonly identityId: string | undefined
  readonly address: string
}

interface WrongGuesses {
  count: number
  /** The time of the last guess. */
  at: number
}

const LIMIT = 'account'
const GUESSER = 'account guesser'
const MAX_ACCOUNTS = 50_000
const FIRST_DELAY_MS = 1_000
const MAX_DELAY_MS = 60_000

/**
 * Limits wrong passwords for one account name, from whatever networks: after a burst, one guess at a time, with a delay that doubles up to a
 * minute. Networks from which its identity has logged in are exempt, and networks that have not guessed have a few places, so that guesses of
 * others do not lock its owner out. Names that do not exist are counted in the same way.
 */
export class AccountLimiter {
  readonly #parts: AccountLimiterParts
  readonly #reporter: LimitReporter
  readonly #wrong = createLruCache<string, WrongGuesses>(MAX_ACCOUNTS)
  readonly #guessers = new GuessingNetworks()

  constructor(parts: AccountLimiterParts) {
    this.#parts = parts
    this.#reporter = new LimitReporter({ ...parts, limit: LIMIT })
    parts.sharing?.onNoted(LIMIT, (account, count) => this.#count(account, count))
    parts.sharing?.onNoted(GUESSER, (guesser) => this.#noteGuess(guesser))
  }

  /** Call before a password is compared. Throws `TooManyRequests` until the delay is over. */
  begin({ account, identityId, address }: AccountGuess): void {
    const { burst, known, clock } = this.#parts
    const wrong = this.#wrong.get(account)
    if (burst === 0 || !wrong || wrong.count < burst || known.isKnownTo(identityId, address)) return
    const now = clock.now()
    const guesser = guesserName(account, address)
    const delayMs = delayAfter(wrong.count - burst)
    // A clock that is set back must not extend the delay.
    const turnMs = delayMs - Math.abs(now - wrong.at)
    const ownMs = this.#guessers.waitOf(guesser, now)
    if (turnMs <= 0 && ownMs <= 0) {
      wrong.at = now
      return
    }
    if (this.#guessers.takePlace(guesser, now)) return
    // A network that polls before its time does not get the next turn either.
    const waitMs = ownMs > 0 ? Math.max(ownMs, delayMs) : turnMs
    this.#guessers.delay(guesser, now, waitMs)
    this.#reporter.noteRefusal(account)
    throw new TooManyRequests(waitMs)
  }

  /** Records the result of a comparison. */
  settle({ account, identityId, address }: AccountGuess, isRight: boolean): void {
    const { known, sharing } = this.#parts
    const isExempt = known.isKnownTo(identityId, address)
    if (isRight && identityId !== undefined) known.note(identityId, address)
    if (isExempt || (isRight && !this.#wrong.has(account))) return
    const count = isRight ? -1 : 1
    this.#count(account, count)
    sharing?.note(LIMIT, account, count)
    if (isRight) return
    const guesser = guesserName(account, address)
    this.#noteGuess(guesser)
    sharing?.note(GUESSER, guesser, 1)
  }

  /** The next turn is for others: a network waits twice as long after its own guess. */
  #noteGuess(guesser: string): void {
    const { burst, clock } = this.#parts
    const count = this.#wrong.get(accountOf(guesser))?.count ?? 0
    this.#guessers.noteGuess(guesser, clock.now(), 2 * delayAfter(count - burst))
  }

  /** A negative count, after a correct password, forgets the account. */
  #count(account: string, count: number): void {
    if (count < 0) return void this.#wrong.delete(account)
    const now = this.#parts.clock.now()
    const before = this.#wrong.get(account)
    const isCurrent = before !== undefined && Math.abs(now - before.at) < FORGET_MS
    this.#wrong.set(account, { count: count + (isCurrent ? before.count : 0), at: now })
  }
}

function delayAfter(further: number): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** further)
}
