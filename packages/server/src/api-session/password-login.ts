import type { Authenticate } from '@countersign/contract'
import { AppError, isSignInAllowed, type PasswordCost } from '@countersign/core'
import type { AttemptLimiter } from '../limits/attempt-limiter.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { LiveSession } from './live-sessions.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { type SessionOptions, startSession } from './start-session.ts'

export interface LoginOptions extends SessionOptions {
  readonly passwordCost: PasswordCost
  readonly limit: AttemptLimiter
}

/** Why a password was refused. For administrators: to the caller they are all the same. */
export type PasswordRefusal = 'unknown-user' | 'wrong-password' | 'disabled' | 'not-allowed'

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
}

const WAY = { method: 'updb' } as const

/** Trades a user name and password for a session. Every refusal looks and costs the same. */
export function createPasswordLogin(options: LoginOptions): PasswordLogin {
  const { store, clock, limit } = options
  const passwords = createPasswords(options.passwordCost)

  const identify = async (username: string, password: string) => {
    const authenticator = await store.db
      .selectFrom('authenticators')
      .select(['id', 'identity_id', 'password_digest'])
      .where('username', '=', username)
      .where('method', '=', WAY.method)
      .executeTakeFirst()
    const isRight = await passwords.isRight(password, authenticator?.password_digest)
    const identity = authenticator && (await findIdentity(store.db, authenticator.identity_id))
    const policy = identity && (await findAuthPolicy(store.db, identity.authPolicyId))
    if (!authenticator || !identity || !policy) return { reason: 'unknown-user', identity, policy } as const
    if (!isRight) return { reason: 'wrong-password', identity, policy } as const
    if (isDisabled(identity, clock.now())) return { reason: 'disabled', identity, policy } as const
    if (!isSignInAllowed(policy, WAY)) return { reason: 'not-allowed', identity, policy } as const
    return { reason: undefined, identity, policy, authenticatorId: authenticator.id }
  }

  const logIn = async (body: Authenticate, ipAddress: string): Promise<PasswordOutcome> => {
    const { username, password } = body
    if (!username || !password) {
      throw new AppError('COULD_NOT_VALIDATE', { message: 'username and password fields are required' })
    }
    const attempt = limit.begin(ipAddress)
    let isRefused = false
    try {
      const found = await identify(username, password)
      isRefused = found.reason !== undefined
      if (found.reason !== undefined) return { signedIn: false, ...found }
      const { identity, policy, authenticatorId } = found
      const authenticated = { identity, policy, way: WAY, authenticatorId, body, ipAddress }
      return { signedIn: true, ...(await startSession(options, authenticated)) }
    } finally {
      if (!isRefused) attempt.giveBack()
    }
  }
  return Object.assign(logIn, { passwords })
}
