import { clientNetwork } from '@countersign/core'
import type { Logger } from 'pino'
import type { AttemptLimiter } from '../limits/attempt-limiter.ts'
import { createGuesses, type Guesses, type GuessPlace } from '../limits/guesses.ts'
import { lockOutIdentity } from '../operations/identity/disable-identity.ts'
import type { Clock } from '../platform/clock.ts'
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
  /** Those of this process unless given. */
  readonly guesses?: Guesses | undefined
}

const MS_PER_MINUTE = 60_000
/** Where a policy locks out until an administrator helps: an administrator is not to need one. */
const ADMINISTRATOR_LOCK_MINUTES = 15

/**
 * Counts wrong passwords and locks out as the policy says. A guess takes its place before it is compared, so that as many
 * are compared as the policy allows, however many come at once; further ones wait for the outcome of those. Administrators
 * are locked out from the network that guessed, never as a whole.
 */
export function createPasswordGuard(parts: PasswordGuardParts): PasswordGuard {
  const { store, clock, log, passwords, limit, guesses = createGuesses(clock) } = parts

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

  const lockOut = async (place: GuessPlace, { identity, policy }: PasswordOwner): Promise<void> => {
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

  const isRightFor = async (password: string, address: string, owner: PasswordOwner): Promise<boolean> => {
    const { identity, policy, digest } = owner
    const { maxAttempts } = policy.primary.updb
    if (maxAttempts === 0) {
      return (await isStillEnabled(owner)) ? passwords.isRight(password, digest) : compareWithNothing(password)
    }
    const name = identity.isAdmin ? `${identity.id} ${clientNetwork(address)}` : identity.id
    const place = await guesses.take(name, maxAttempts)
    if (!place) return refuse(password)
    try {
      if (!(await isStillEnabled(owner))) return await compareWithNothing(password)
      // The last guess was wrong, but the store did not take the lock.
      if (place.wrong >= maxAttempts) {
        await lockOut(place, owner)
        return await compareWithNothing(password)
      }
      const isRight = await passwords.isRight(password, digest)
      const wrong = await place.judge(isRight)
      if (wrong >= maxAttempts) await lockOut(place, owner)
      return isRight
    } finally {
      await place.leave()
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
