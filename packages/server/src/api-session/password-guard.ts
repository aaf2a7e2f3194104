import { BoundedCache, clientNetwork } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { AttemptLimiter } from '../limits/attempt-limiter.ts'
import { TooManyRequests } from '../limits/too-many-requests.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { Store } from '../store/store.ts'
import type { Passwords } from './passwords.ts'

/** Somebody's guess at a password. */
export interface PasswordTrial {
  readonly password: string
  readonly address: string
  /** Whose password it would be and what it is compared with; undefined when there is nothing that it could be right for. */
  readonly of: PasswordOwner | undefined
}

export interface PasswordOwner {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
  readonly digest: string | null
}

/** Every comparison of a password goes through here, with the same work whatever the answer. */
export interface PasswordGuard {
  /** Throws `TooManyRequests` where too many were wrong. False also for the right password of somebody who is locked out. */
  isRight(trial: PasswordTrial): Promise<boolean>
}

interface PasswordGuardParts {
  readonly store: Store
  readonly clock: Clock
  readonly log: Logger
  readonly passwords: Passwords
  readonly limit: AttemptLimiter
}

/** The guesses at one password: those that were wrong since the last right one, and those under way. */
interface Guesses {
  wrong: number
  underWay: number
  waiting: number
  lockedUntil: number
  settled: PromiseWithResolvers<void>
}

const MAX_REMEMBERED = 50_000
const MAX_WAITING = 64
const MS_PER_MINUTE = 60_000
/** Where a policy locks out until an administrator helps: an administrator is not to need one. */
const ADMINISTRATOR_LOCK_MINUTES = 15

/**
 * Counts wrong passwords and locks out as the policy says. A guess takes its place before it is compared, so that as many
 * are compared as the policy allows, however many come at once; further ones wait for the outcome of those. Administrators
 * are locked out from the network that guessed, never as a whole.
 */
export function createPasswordGuard({ store, clock, log, passwords, limit }: PasswordGuardParts): PasswordGuard {
  const guessesAt = new BoundedCache<string, Guesses>(MAX_REMEMBERED)

  /** Looked up again when it is this guess's turn: an earlier one may have been the last. Nobody has a blank id. */
  const isStillEnabled = async (owner: PasswordOwner | undefined): Promise<boolean> => {
    const current = await findIdentity(store.db, owner?.identity.id ?? '')
    return current !== undefined && !isDisabled(current, clock.now())
  }

  const compareWithNothing = async (password: string): Promise<false> => {
    await passwords.isRight(password, undefined)
    return false
  }

  const refuse = async (password: string): Promise<false> => {
    await isStillEnabled(undefined)
    return compareWithNothing(password)
  }

  const settle = (guesses: Guesses): void => {
    guesses.settled.resolve()
    guesses.settled = Promise.withResolvers()
  }

  const findGuesses = (name: string): Guesses => {
    const known = guessesAt.get(name)
    if (known) return known
    const guesses = { wrong: 0, underWay: 0, waiting: 0, lockedUntil: 0, settled: Promise.withResolvers<void>() }
    guessesAt.set(name, guesses)
    return guesses
  }

  /** Waits until there is a place; undefined when locked out. */
  const takePlace = async (name: string, most: number): Promise<Guesses | undefined> => {
    for (;;) {
      const guesses = findGuesses(name)
      if (guesses.lockedUntil > clock.now()) return undefined
      if (guesses.wrong + guesses.underWay < most || guesses.underWay === 0) {
        guesses.underWay++
        return guesses
      }
      if (guesses.waiting >= MAX_WAITING) throw new TooManyRequests(1000)
      guesses.waiting++
      await guesses.settled.promise
      guesses.waiting--
    }
  }

  const lockOut = async (name: string, guesses: Guesses, { identity, policy }: PasswordOwner): Promise<void> => {
    const { lockoutDurationMinutes } = policy.primary.updb
    const { id, isAdmin } = identity
    log.warn({ identityId: id, lockoutDurationMinutes }, 'locked out after too many wrong passwords')
    if (isAdmin) {
      guesses.wrong = 0
      guesses.lockedUntil = clock.now() + (lockoutDurationMinutes || ADMINISTRATOR_LOCK_MINUTES) * MS_PER_MINUTE
      return
    }
    const args = { id, durationMinutes: lockoutDurationMinutes }
    await store.write('identity.lockOut', args, { actorId: 'system', now: clock.now() })
    guessesAt.delete(name)
  }

  const isRightFor = async (password: string, address: string, owner: PasswordOwner): Promise<boolean> => {
    const { identity, policy, digest } = owner
    const { maxAttempts } = policy.primary.updb
    if (maxAttempts === 0) {
      return (await isStillEnabled(owner)) ? passwords.isRight(password, digest) : compareWithNothing(password)
    }
    const name = identity.isAdmin ? `${identity.id} ${clientNetwork(address)}` : identity.id
    const guesses = await takePlace(name, maxAttempts)
    if (!guesses) return refuse(password)
    try {
      if (!(await isStillEnabled(owner))) return await compareWithNothing(password)
      // The last guess was wrong, but the store did not take the lock.
      if (guesses.wrong >= maxAttempts) {
        await lockOut(name, guesses, owner)
        return await compareWithNothing(password)
      }
      const isRight = await passwords.isRight(password, digest)
      guesses.wrong = isRight ? 0 : guesses.wrong + 1
      if (guesses.wrong >= maxAttempts) await lockOut(name, guesses, owner)
      return isRight
    } finally {
      guesses.underWay--
      settle(guesses)
    }
  }

  return {
    isRight: async ({ password, address, of }) => {
      const attempt = limit.begin(address)
      let isRight = true
      try {
        isRight = await (of ? isRightFor(password, address, of) : refuse(password))
        return isRight
      } finally {
        if (isRight) attempt.giveBack()
      }
    },
  }
}
