import type { Authenticate } from '@countersign/contract'
import { AppError, isLoginAllowed, type PasswordCost, type RuleRequest } from '@countersign/core'
import type { Logger } from 'pino'
import type { AttemptLimits } from '../limits/attempt-limits.ts'
import type { Guesses } from '../limits/guesses.ts'
import { type SessionOptions, startSession } from '../operations/api-session/start-session.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { isDisabled, isExpired, type StoredIdentity } from '../store/identity-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findPasswordAuthenticator } from '../store/reads/authenticator-reads.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { PasswordRefusal } from '../token/decision-reason.ts'
import { PasswordCheck } from './password-check.ts'
import { Passwords } from './passwords.ts'
import { findTokenlessRefusal } from './policy-rule.ts'

interface PasswordLoginParts extends SessionOptions {
  readonly passwordCost: PasswordCost
  readonly limits: Pick<AttemptLimits, 'password' | 'account' | 'known'>
  readonly log: Logger
  /** Limit of passwords of one account that are digested or compared concurrently. */
  readonly maxPasswordsAtOnce?: number | undefined
  /** Counts wrong passwords; by default in this process. */
  readonly guesses?: Guesses | undefined
}

export type PasswordLoginResult =
  | { readonly loggedIn: true; readonly token: string; readonly session: LiveSession }
  | {
      readonly loggedIn: false
      readonly reason: PasswordRefusal
      /** The identity with this user name. */
      readonly identity: StoredIdentity | undefined
      readonly policy: StoredAuthPolicy | undefined
    }

const PASSWORD_LOGIN = { method: 'password' } as const

/** Exchanges a user name and password for a session. All refusals have the same response and the same cost. */
export class PasswordLogin {
  /** Shared by all code that digests or compares passwords: the limit applies to all of it. */
  readonly passwords: Passwords
  readonly check: PasswordCheck
  readonly #parts: PasswordLoginParts

  constructor(parts: PasswordLoginParts) {
    this.#parts = parts
    this.passwords = new Passwords(parts.passwordCost, parts.maxPasswordsAtOnce)
    this.check = new PasswordCheck({ ...parts, passwords: this.passwords })
  }

  /** Throws COULD_NOT_VALIDATE without a user name or password, TooManyRequests after too many wrong passwords. */
  async logIn(body: Authenticate, request: RuleRequest, open = startSession): Promise<PasswordLoginResult> {
    const { username, password } = body
    if (!username || !password) {
      throw new AppError('COULD_NOT_VALIDATE', { message: 'username and password fields are required' })
    }
    const found = await this.#identify(username, password, request)
    if (found.reason !== undefined) return { loggedIn: false, ...found }
    const { identity, policy, authenticatorId, digest } = found
    return {
      loggedIn: true,
      ...(await open(this.#parts, {
        identity,
        policy,
        login: PASSWORD_LOGIN,
        authenticatorId,
        comparedWith: digest ?? '',
        body,
        ipAddress: request.address,
      })),
    }
  }

  async #identify(username: string, password: string, request: RuleRequest) {
    const { store, clock } = this.#parts
    const authenticator = await findPasswordAuthenticator(store.db, username)
    // No identity has an empty id: an unknown user name costs the same reads.
    const identity = await findIdentity(store.db, authenticator?.identity_id ?? '')
    const policy = await findAuthPolicy(store.db, identity?.authPolicyId ?? '')
    const refusal = await findRefusal(identity, policy, request, clock.now())
    const owner = identity && policy && authenticator && { identity, policy, digest: authenticator.digest }
    const accepted = refusal === undefined ? owner : undefined
    const attempt = { password, account: username, identityId: identity?.id, address: request.address, owner: accepted }
    const isRight = await this.check.isRight(attempt)
    if (!owner || refusal !== undefined) return { reason: refusal ?? 'unknown-user', identity, policy } as const
    if (!isRight) return { reason: 'wrong-password', identity, policy } as const
    return { reason: undefined, ...owner, authenticatorId: authenticator.id }
  }
}

/** Returns why no password is accepted. */
async function findRefusal(
  identity: StoredIdentity | undefined,
  policy: StoredAuthPolicy | undefined,
  request: RuleRequest,
  now: number,
): Promise<Exclude<PasswordRefusal, 'wrong-password'> | undefined> {
  if (!identity || !policy) return 'unknown-user'
  if (isDisabled(identity, now)) return 'disabled'
  if (isExpired(identity, now)) return 'identity-expired'
  if (!isLoginAllowed(policy, PASSWORD_LOGIN)) return 'not-allowed'
  return findTokenlessRefusal(policy, identity, request, now)
}
