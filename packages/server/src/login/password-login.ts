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
import { createPasswordGuard, type PasswordGuard } from './password-guard.ts'
import { createPasswords, type Passwords } from './passwords.ts'

export interface LoginOptions extends SessionOptions {
  readonly passwordCost: PasswordCost
  readonly limit: AttemptLimiter
  readonly log: Logger
  /** Passwords digested or compared at a time. */
  readonly maxPasswordsAtOnce?: number | undefined
  /** Where wrong ones are counted; in this process unless given. */
  readonly guesses?: Guesses | undefined
}

export type PasswordOutcome =
  | { readonly signedIn: true; readonly token: string; readonly session: LiveSession }
  | {
      readonly signedIn: false
      readonly reason: PasswordRefusal
      /** Whose user name it was. */
      readonly identity: StoredIdentity | undefined
      readonly policy: StoredAuthPolicy | undefined
    }

export interface PasswordLogin {
  (body: Authenticate, ipAddress: string): Promise<PasswordOutcome>
  /** What the log-in digests and compares passwords with; whoever else does so shares its limit. */
  readonly passwords: Passwords
  readonly guard: PasswordGuard
}

const WAY = { method: 'password' } as const

/** Trades a user name and password for a session. Every refusal looks and costs the same. */
export function createPasswordLogin(options: LoginOptions): PasswordLogin {
  const { store, clock } = options
  const passwords = createPasswords(options.passwordCost, options.maxPasswordsAtOnce)
  const guard = createPasswordGuard({ ...options, passwords })

  const identify = async (username: string, password: string, address: string) => {
    const authenticator = await findPasswordAuthenticator(store.db, username)
    // No identity has a blank id: an unknown user name costs the same look-ups.
    const identity = await findIdentity(store.db, authenticator?.identity_id ?? '')
    const policy = await findAuthPolicy(store.db, identity?.authPolicyId ?? '')
    const obstacle = findObstacle(identity, policy, clock.now())
    const owner = identity && policy && authenticator && { identity, policy, digest: authenticator.digest }
    const isRight = await guard.isRight({ password, address, of: obstacle === undefined ? owner : undefined })
    if (!owner || obstacle !== undefined) return { reason: obstacle ?? 'unknown-user', identity, policy } as const
    if (!isRight) return { reason: 'wrong-password', identity, policy } as const
    return { reason: undefined, ...owner, authenticatorId: authenticator.id }
  }

  const logIn = async (body: Authenticate, ipAddress: string): Promise<PasswordOutcome> => {
    const { username, password } = body
    if (!username || !password) {
      throw new AppError('COULD_NOT_VALIDATE', { message: 'username and password fields are required' })
    }
    const found = await identify(username, password, ipAddress)
    if (found.reason !== undefined) return { signedIn: false, ...found }
    const { identity, policy, authenticatorId } = found
    return {
      signedIn: true,
      ...(await startSession(options, { identity, policy, way: WAY, authenticatorId, body, ipAddress })),
    }
  }
  return Object.assign(logIn, { passwords, guard })
}

/** Why no password would do. */
function findObstacle(
  identity: StoredIdentity | undefined,
  policy: StoredAuthPolicy | undefined,
  now: number,
): Exclude<PasswordRefusal, 'wrong-password'> | undefined {
  if (!identity || !policy) return 'unknown-user'
  if (isDisabled(identity, now)) return 'disabled'
  return isLoginAllowed(policy, WAY) ? undefined : 'not-allowed'
}
