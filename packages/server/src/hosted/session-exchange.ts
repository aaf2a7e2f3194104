import { AppError, accountIdentityId } from '@countersign/core'
import { ensureAccountIdentity } from '../operations/api-account/account-identity.ts'
import { type SessionOptions, startSession } from '../operations/api-session/start-session.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import { authenticatorIdOfAccount } from '../store/reads/session-origin-reads.ts'
import type { HostedCaller } from './hosted-caller.ts'

/**
 * Exchanges an API account's token for a session on this controller. The account's identity is created on first use. It has no authenticator,
 * so it cannot log in by another method, and its sessions end with the account.
 */
export class SessionExchange {
  readonly #options: SessionOptions

  constructor(options: SessionOptions) {
    this.#options = options
  }

  /** Throws FORBIDDEN for an administrator of this controller, who already has a session. */
  async exchange(
    { account, organizationId }: HostedCaller,
    { clientAddress }: { readonly clientAddress: string },
  ): Promise<{ token: string; session: LiveSession }> {
    const { store, clock } = this.#options
    if (!account)
      throw new AppError('FORBIDDEN', { message: 'only an API account can exchange its token for a session' })
    const id = accountIdentityId(account.id)
    const { credential } = account
    await store.run(ensureAccountIdentity, {}, { actorId: id, credential, organizationId, now: clock.now() })
    const identity = await findIdentity(store.db, id)
    const policy = identity && (await findAuthPolicy(store.db, identity.authPolicyId))
    if (!identity || !policy) throw new AppError('STORE_UNAVAILABLE')
    return startSession(this.#options, {
      identity,
      policy,
      login: { method: 'api-account', accountId: account.id },
      authenticatorId: authenticatorIdOfAccount(account.id),
      client: credential,
      accessEndsAt: account.endsAt,
      boundKey: account.boundKey,
      body: {},
      ipAddress: clientAddress,
    })
  }
}
