import type { Authenticate } from '@countersign/contract'
import { AppError, isLoginAllowed, type PasswordCost } from '@countersign/core'
import type { Logger } from 'pino'
import type { AttemptLimiter } from '../limits/attempt-limiter.ts'
import type { Guesses } from '../limits/guesses.ts'
import { type SessionOptions, startSession } from '../operations/api-session/start-session.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findPasswordAuthenticator } from '../store/reads/authenticator-reads.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { PasswordRefusal } from '../token/decision-reason.ts'
import { PasswordGuard } from './password-guard.ts'
import { Passwords } from './passwords.ts'

interface PasswordLoginParts extends SessionOptions {
  readonly passwordCost: PasswordCost
  readonly limit: AttemptLimiter
  readonly log: Logger
  /** Passwords digested or compared at a time. */
  readonly maxPasswordsAtOnce?: number | undefined
  /** Where wrong passwords are counted; in this process unless given. */
  readonly guesses?: Guesses | undefined
}

export type PasswordOutcome =
  | { readonly signedIn: true; readonly token: string; readonly session: LiveSession }
  | {
      readonly signedIn: false
      readonly reason: PasswordRefusal
      /** The identity with this user name. */
      readonly identity: StoredIdentity | undefined
      readonly policy: StoredAuthPolicy | undefined
    }

const WAY = { method: 'password' } as const

/** Exchanges a user name and password for a session. Every refusal looks and costs the same. */
export class PasswordLogin {
  /** Shared with everything else that digests or compares passwords, since the limit holds for all of it. */
  readonly passwords: Passwords
  readonly guard: PasswordGuard
  readonly #parts: PasswordLoginParts

  constructor(parts: PasswordLoginParts) {
    this.#parts = parts
    this.passwords = new Passwords(parts.passwordCost, parts.maxPasswordsAtOnce)
    this.guard = new PasswordGuard({ ...parts, passwords: this.passwords })
  }

  /** COULD_NOT_VALIDATE without a user name or password, TooManyRequests when too many were wrong. */
  async logIn(body: Authenticate, ipAddress: string): Promise<PasswordOutcome> {
    const { username, password } = body
    if (!username || !password) {
      throw new AppError('COULD_NOT_VALIDATE', { message: 'username and password fields are required' })
    }
    const found = await this.#identify(username, password, ipAddress)
    if (found.reason !== undefined) return { signedIn: false, ...found }
    const { identity, policy, authenticatorId } = found
    return {
      signedIn: true,
      ...(await startSession(this.#parts, { identity, policy, way: WAY, authenticatorId, body, ipAddress })),
    }
  }

  async #identify(username: string, password: string, address: string) {
    const { store, clock } = this.#parts
    const authenticator = await findPasswordAuthenticator(store.db, username)
    // No identity has a blank id: an unknown user name costs the same reads.
    const identity = await findIdentity(store.db, authenticator?.identity_id ?? '')
    const policy = await findAuthPolicy(store.db, identity?.authPolicyId ?? '')
    const refusal = findRefusal(identity, policy, clock.now())
    const owner = identity && policy && authenticator && { identity, policy, digest: authenticator.digest }
    const isRight = await this.guard.isRight({ password, address, of: refusal === undefined ? owner : undefined })
    if (!owner || refusal !== undefined) return { reason: refusal ?? 'unknown-user', identity, policy } as const
    if (!isRight) return { reason: 'wrong-password', identity, policy } as const
    return { reason: undefined, ...owner, authenticatorId: authenticator.id }
  }
}

/** Why no password would be right. */
function findRefusal(
  identity: StoredIdentity | undefined,
  policy: StoredAuthPolicy | undefined,
  now: number,
): Exclude<PasswordRefusal, 'wrong-password'> | undefined {
  if (!identity || !policy) return 'unknown-user'
  if (isDisabled(identity, now)) return 'disabled'
  return isLoginAllowed(policy, WAY) ? undefined : 'not-allowed'
}
