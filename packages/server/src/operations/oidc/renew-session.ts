import type { OidcLoginDetails } from '../../store/oidc-login.ts'
import type { RefreshGrant } from '../../store/oidc-schema.ts'
import { operation } from '../../store/operation.ts'
import { lockIdentity } from '../../store/reads/lock-identity.ts'
import { findSpentToken } from '../../store/reads/oidc-session-reads.ts'
import { isRevoked } from '../../store/reads/revocation-reads.ts'
import { findSessionOwner, lockLiveSession } from '../../store/reads/session-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { setSessionEnd } from '../../store/writes/api-session-writes.ts'
import { deleteSessions } from '../../store/writes/end-sessions.ts'
import { insertSpentToken, setOidcDetails } from '../../store/writes/oidc-session-writes.ts'
import { type IssuedForSession, insertCertificateOf } from '../api-session/issued-certificate.ts'

export interface RenewOidcSession {
  readonly sessionId: string
  /** The refresh or access token that the client has presented. */
  readonly token: { readonly jti: string; readonly expiresAt: number }
  /** How the client gets a new refresh token for the presented one; undefined when it gets none. */
  readonly grant: RefreshGrant | undefined
  /** When the session ends with the new tokens, unless it ends later already. */
  readonly expiresAt: number
}

export interface RebindOidcSession extends RenewOidcSession {
  /** A new certificate that the session is then bound to. */
  readonly binding: { readonly certificate: IssuedForSession; readonly details: OidcLoginDetails }
}

export type RenewedSession = 'renewed' | 'ended' | 'reused'

/** A client that has not received the response repeats the request with the old token: no longer than this. */
const RETRY_MS = 10_000

/**
 * Extends a session by a token of its own. A refresh token that has been replaced works for 10 seconds more. After that, its use ends the session,
 * since it is in the hands of two clients (RFC 9700 section 4.14.2). So does its exchange for another one at any time after, and its replacement after
 * such an exchange: clients do one or the other.
 */
export const renewOidcSession = operation({
  name: 'oidcSession.renew',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  run: renew,
})

/** Like `renewOidcSession`, with a new certificate for the session. Fails with CERT_IN_USE when another identity logs in with its key. */
export const rebindOidcSession = operation({
  name: 'oidcSession.rebind',
  access: 'none',
  async run(tx, { binding, ...renewal }: RebindOidcSession): Promise<RenewedSession> {
    const { sessionId } = renewal
    const result = await renew(tx, renewal)
    const owner = result === 'renewed' ? await findSessionOwner(tx.db, sessionId) : undefined
    if (!owner) return result
    await insertCertificateOf(tx, owner.identity_id, binding.certificate)
    await setOidcDetails(tx, sessionId, binding.details)
    return result
  },
})

/** Requests with the same token come one after the other: the session is locked. */
async function renew(
  tx: Transaction,
  { sessionId, token, grant, expiresAt }: RenewOidcSession,
): Promise<RenewedSession> {
  const [, session] = await Promise.all([lockIdentity(tx, tx.actorId), lockLiveSession(tx, sessionId)])
  if (!session || (await isRevoked(tx.db, token.jti))) return 'ended'
  const spent = await findSpentToken(tx.db, token.jti)
  if (spent && isReused(spent, grant, tx.now)) {
    await deleteSessions(tx, [session])
    return 'reused'
  }
  if (grant && !spent) await insertSpentToken(tx, { sessionId, spentBy: grant, ...token })
  await setSessionEnd(tx, sessionId, Math.max(session.expires_at, expiresAt))
  return 'renewed'
}

type Spent = NonNullable<Awaited<ReturnType<typeof findSpentToken>>>

function isReused({ spentAt, spentBy }: Spent, grant: RefreshGrant | undefined, now: number): boolean {
  if (spentBy === 'exchange') return grant === 'refresh'
  return grant === 'exchange' || now >= spentAt + RETRY_MS
}
