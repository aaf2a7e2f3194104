import { clientNetwork } from '@countersign/core'
import type { Logger } from 'pino'
import type { AttemptLimiter } from '../limits/attempt-limiter.ts'
import { type Guesses, type GuessPlace, LocalGuesses } from '../limits/guesses.ts'
import { lockOutIdentity } from '../operations/identity/disable-identity.ts'
import type { Clock } from '../platform/clock.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { Store } from '../store/store.ts'
import type { Passwords } from './passwords.ts'

/** A guess at a password. */
export interface PasswordTrial {
  readonly password: string
  readonly address: string
  /** Undefined when no password would be right. */
  readonly of: PasswordOwner | undefined
}

/** Whose password it would be, and the digest to compare it with. */
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
  readonly limit: AttemptLimiter
  /** Where wrong guesses are counted; in this process unless given. */
  readonly guesses?: Guesses | undefined
}

const MS_PER_MINUTE = 60_000
/** For administrators where the policy locks out until an administrator enables the identity again. */
const ADMINISTRATOR_LOCK_MINUTES = 15

/**
 * Compares every password, with the same work whatever the result, counts wrong ones and locks out as the policy says. A guess takes its place
 * before it is compared, so that no more are compared than the policy allows, however many come at once; further ones wait for the outcome of
 * those. Administrators are locked out from the network that guessed only.
 */
export class PasswordGuard {
  readonly #parts: PasswordGuardParts
  readonly #guesses: Guesses

  constructor(parts: PasswordGuardParts) {
    this.#parts = parts
    this.#guesses = parts.guesses ?? new LocalGuesses(parts.clock)
  }

  /** Throws `TooManyRequests` when too many were wrong. False also for the right password of an identity that is locked out. */
  async isRight({ password, address, of }: PasswordTrial): Promise<boolean> {
    const attempt = this.#parts.limit.begin(address)
    let isRight = true
    try {
      isRight = await (of ? this.#isRightFor(password, address, of) : this.#refuse(password))
      return isRight
    } finally {
      if (isRight) attempt.giveBack()
    }
  }

  async #isRightFor(password: string, address: string, owner: PasswordOwner): Promise<boolean> {
    const { passwords } = this.#parts
    const { identity, policy, digest } = owner
    const { maxAttempts } = policy.primary.updb
    if (maxAttempts === 0) {
      return (await this.#isStillEnabled(owner)) ? passwords.isRight(password, digest) : this.#compareWithNone(password)
    }
    const name = identity.isAdmin ? `${identity.id} ${clientNetwork(address)}` : identity.id
    const place = await this.#guesses.take(name, maxAttempts)
    if (!place) return this.#refuse(password)
    try {
      if (!(await this.#isStillEnabled(owner))) return await this.#compareWithNone(password)
      // The last guess was wrong, but the lock could not be stored.
      if (place.wrong >= maxAttempts) {
        await this.#lockOut(place, owner)
        return await this.#compareWithNone(password)
      }
      const isRight = await passwords.isRight(password, digest)
      const wrong = await place.judge(isRight)
      if (wrong >= maxAttempts) await this.#lockOut(place, owner)
      return isRight
    } finally {
      await place.leave()
    }
  }

  /** Read again when it is this guess's turn: an earlier one may have locked the identity out. No identity has a blank id. */
  async #isStillEnabled(owner: PasswordOwner | undefined): Promise<boolean> {
    const { store, clock } = this.#parts
    const current = await findIdentity(store.db, owner?.identity.id ?? '')
    return current !== undefined && !isDisabled(current, clock.now())
  }

  async #refuse(password: string): Promise<false> {
    await this.#isStillEnabled(undefined)
    return this.#compareWithNone(password)
  }

  async #compareWithNone(password: string): Promise<false> {
    await this.#parts.passwords.isRight(password, undefined)
    return false
  }

  async #lockOut(place: GuessPlace, { identity, policy }: PasswordOwner): Promise<void> {
    const { store, clock, log } = this.#parts
    const { lockoutDurationMinutes } = policy.primary.updb
    const { id, isAdmin } = identity
    log.warn({ identityId: id, lockoutDurationMinutes }, 'locked out after too many wrong passwords')
    if (isAdmin) {
      const minutes = lockoutDurationMinutes || ADMINISTRATOR_LOCK_MINUTES
      return place.lock(clock.now() + minutes * MS_PER_MINUTE)
    }
    const args = { id, durationMinutes: lockoutDurationMinutes }
    await store.run(lockOutIdentity, args, { actorId: 'system', now: clock.now() })
    await place.forget()
  }
}
