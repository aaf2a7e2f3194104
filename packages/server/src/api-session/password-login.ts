import type { Authenticate } from '@countersign/contract'
import { AppError, isSignInAllowed, type PasswordCost } from '@countersign/core'
import { isDisabled } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { LiveSession } from './live-sessions.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { type SessionOptions, startSession } from './start-session.ts'

export interface LoginOptions extends SessionOptions {
  readonly passwordCost: PasswordCost
}

export interface PasswordLogin {
  (body: Authenticate, ipAddress: string): Promise<{ token: string; session: LiveSession }>
  /** What the log-in digests and compares passwords with; whoever else does so shares its limit. */
  readonly passwords: Passwords
}

const WAY = { method: 'updb' } as const

/** Trades a user name and password for a session. Every refusal looks and costs the same. */
export function createPasswordLogin(options: LoginOptions): PasswordLogin {
  const { store, clock } = options
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
    if (!isRight || !policy || !isSignInAllowed(policy, WAY) || isDisabled(identity, clock.now())) return undefined
    return { identity, policy, way: WAY, authenticatorId: authenticator.id }
  }

  const logIn = async (body: Authenticate, ipAddress: string) => {
    const { username, password } = body
    if (!username || !password) {
      throw new AppError('COULD_NOT_VALIDATE', { message: 'username and password fields are required' })
    }
    const found = await identify(username, password)
    if (!found) throw new AppError('INVALID_AUTH')
    return startSession(options, { ...found, body, ipAddress })
  }
  return Object.assign(logIn, { passwords })
}
