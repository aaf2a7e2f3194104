import { clientNetwork } from '@countersign/core'
import type { Logger } from 'pino'
import type { AttemptLimits } from '../limits/attempt-limits.ts'
import { type Guesses, LocalGuesses, type PasswordGuess } from '../limits/guesses.ts'
import { lockOutIdentity } from '../operations/identity/disable-identity.ts'
import type { Clock } from '../platform/clock.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { hasAccess, type StoredIdentity } from '../store/identity-row.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { Store } from '../store/store.ts'
import type { PasswordSender, Passwords } from './passwords.ts'

/** A password to check. */
export interface PasswordAttempt {
  readonly password: string
  /** The name that the caller gave. */
  readonly account: string
  /** The identity that has the name, if any. */
  readonly identityId: string | undefined
  readonly address: string
  /** Undefined when no password is accepted. */
  readonly owner: PasswordOwner | undefined
}

interface SentPassword {
  readonly password: string
  readonly sender: PasswordSender
}

/** The identity to log in, and the digest to compare with. */
export interface PasswordOwner {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
  readonly digest: string | null
}

interface PasswordGuardParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly passwords: Pick<Passwords, 'isRight'>
  readonly limits: Pick<AttemptLimits, 'password' | 'account' | 'known'>
  /** Counts wrong passwords; by default in this process. */
  readonly guesses?: Guesses | undefined
}

const MS_PER_MINUTE = 60_000
/** For administrators, when the policy locks out until an administrator enables the identity again. */
const ADMINISTRATOR_LOCK_MINUTES = 15

/**
 * Checks passwords with the same amount of work for every result, counts wrong ones and locks out as the policy defines. A guess is counted
 * before it is compared: concurrent requests never compare more passwords than the policy allows; further guesses wait for the results.
 * An administrator is locked out only from the network that guessed.
 */
export class PasswordCheck {
  readonly #parts: PasswordGuardParts
  readonly #guesses: Guesses

  constructor(parts: PasswordGuardParts) {
    this.#parts = parts
    this.#guesses = parts.guesses ?? new LocalGuesses(parts.clock)
  }

  /** Returns false also for the right password of a locked-out identity. Throws `TooManyRequests` after too many wrong passwords. */
  async isRight(attempt: PasswordAttempt): Promise<boolean> {
    const { limits } = this.#parts
    const counted = limits.password.begin(attempt.address)
    let isRight = true
    try {
      limits.account.begin(attempt)
      isRight = await this.#compare(attempt)
      limits.account.settle(attempt, isRight)
      return isRight
    } finally {
      if (isRight) counted.giveBack()
    }
  }

  async #compare({ password, account, address, owner }: PasswordAttempt): Promise<boolean> {
    const standing = this.#parts.limits.known.standingOf(owner?.identity.id, address)
    const sent = { password, sender: { account, standing } }
    return owner ? this.#isRightFor(sent, address, owner) : this.#refuse(sent)
  }

  async #isRightFor(sent: SentPassword, address: string, owner: PasswordOwner): Promise<boolean> {
    const { identity, policy, digest } = owner
    const { maxAttempts } = policy.primary.updb
    if (maxAttempts === 0) {
      return (await this.#isStillEnabled(owner)) ? this.#compareWith(sent, digest) : this.#compareWithNone(sent)
    }
    const name = identity.isAdmin ? `${identity.id} ${clientNetwork(address)}` : identity.id
    const guess = await this.#guesses.begin(name, maxAttempts)
    if (!guess) return this.#refuse(sent)
    try {
      if (!(await this.#isStillEnabled(owner))) return await this.#compareWithNone(sent)
      // The last guess was wrong, but the lockout could not be stored.
      if (guess.wrong >= maxAttempts) {
        await this.#lockOut(guess, owner)
        return await this.#compareWithNone(sent)
      }
      const isRight = await this.#compareWith(sent, digest)
      const wrong = await guess.settle(isRight)
      if (wrong >= maxAttempts) await this.#lockOut(guess, owner)
      return isRight
    } finally {
      await guess.end()
    }
  }

  /** Reads the identity again: an earlier guess may have locked it out. No identity has an empty id. */
  async #isStillEnabled(owner: PasswordOwner | undefined): Promise<boolean> {
    const { store, clock } = this.#parts
    const current = await findIdentity(store.db, owner?.identity.id ?? '')
    return current !== undefined && hasAccess(current, clock.now())
  }

  async #refuse(sent: SentPassword): Promise<false> {
    await this.#isStillEnabled(undefined)
    return this.#compareWithNone(sent)
  }

  async #compareWithNone(sent: SentPassword): Promise<false> {
    await this.#compareWith(sent, undefined)
    return false
  }

  #compareWith({ password, sender }: SentPassword, digest: string | null | undefined): Promise<boolean> {
    return this.#parts.passwords.isRight(password, digest, sender)
  }

  async #lockOut(guess: PasswordGuess, { identity, policy }: PasswordOwner): Promise<void> {
    const { store, clock, log } = this.#parts
    const { lockoutDurationMinutes } = policy.primary.updb
    const { id, isAdmin } = identity
    log.warn({ identityId: id, lockoutDurationMinutes }, 'locked out after too many wrong passwords')
    if (isAdmin) {
      const minutes = lockoutDurationMinutes || ADMINISTRATOR_LOCK_MINUTES
      return guess.lock(clock.now() + minutes * MS_PER_MINUTE)
    }
    const args = { id, durationMinutes: lockoutDurationMinutes }
    await store.run(lockOutIdentity, args, { actorId: 'system', now: clock.now() })
    await guess.reset()
  }
}
