import type { OidcLoginDetails } from '../../store/oidc-login.ts'
import { operation } from '../../store/operation.ts'
import { lockIdentity } from '../../store/reads/lock-identity.ts'
import { lockOidcLogin } from '../../store/reads/oidc-login-reads.ts'
import { findSessionOwner } from '../../store/reads/session-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { bindSession, setFirstSessionEnd } from '../../store/writes/api-session-writes.ts'
import { deleteSessions } from '../../store/writes/end-sessions.ts'
import { type RedeemableCode, redeemCode } from '../../store/writes/oidc-login-writes.ts'
import { insertOidcSession, type NewOidcSession } from '../../store/writes/oidc-session-writes.ts'
import { type IssuedForSession, insertCertificateOf } from '../api-session/issued-certificate.ts'

export interface OpenOidcSession extends Omit<NewOidcSession, 'details'>, RedeemableCode {
  readonly expiresAt: number
  /** The key that the session is bound to from now on. */
  readonly boundKey?: string | undefined
}

export interface OpenBoundOidcSession extends OpenOidcSession {
  /** The certificate that the session is bound to. */
  readonly certificate: IssuedForSession
  /** What the session is remembered by from now on. */
  readonly details: OidcLoginDetails
}

/** What the opened session is remembered by, or why none was opened. */
export type RedeemedCode = { readonly details: OidcLoginDetails } | 'refused' | 'reused'

/**
 * Redeems the code of a login: its session can have tokens from now on. A code works once: a second use ends the session, since one of the two users
 * has stolen it (RFC 6749 section 4.1.2).
 */
export const openOidcSession = operation({
  name: 'oidcSession.open',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  run: async (tx, args: OpenOidcSession): Promise<RedeemedCode | 'busy'> => (await open(tx, args)).result,
})

/** Like `openOidcSession`, for a session that is bound to a certificate. Fails with CERT_IN_USE when another identity logs in with its key. */
export const openBoundOidcSession = operation({
  name: 'oidcSession.openBound',
  access: 'none',
  async run(tx, { certificate, ...args }: OpenBoundOidcSession): Promise<RedeemedCode | 'busy'> {
    const { result, identityId } = await open(tx, args)
    if (identityId !== undefined) await insertCertificateOf(tx, identityId, certificate)
    return result
  },
})

/** With the identity of the session if it is open. */
async function open(
  tx: Transaction,
  {
    loginId,
    code,
    expiresAt,
    boundKey,
    details: bound,
    ...session
  }: OpenOidcSession & Partial<Pick<OpenBoundOidcSession, 'details'>>,
): Promise<{ readonly result: RedeemedCode | 'busy'; readonly identityId?: string }> {
  const { sessionId } = session
  const redeemable = { loginId, sessionId, code }
  // Sent together.
  const [, redeemed] = await Promise.all([lockIdentity(tx, tx.actorId), redeemCode(tx, redeemable)])
  if (!redeemed) return { result: await whyNotRedeemed(tx, redeemable) }
  const details = bound ?? redeemed
  const [identityId] = await Promise.all([
    setFirstSessionEnd(tx, sessionId, expiresAt),
    boundKey !== undefined && bindSession(tx, sessionId, boundKey),
    insertOidcSession(tx, { ...session, details }),
  ])
  return identityId === undefined ? { result: 'refused' } : { result: { details }, identityId }
}

async function whyNotRedeemed(
  tx: Transaction,
  { loginId, sessionId, code }: RedeemableCode,
): Promise<RedeemedCode | 'busy'> {
  const login = await lockOidcLogin(tx, loginId)
  if (login === 'busy') return login
  if (login?.session?.id !== sessionId || login.code?.value !== code) return 'refused'
  if (login.code.isRedeemed) return endReused(tx, sessionId)
  // Another transaction had locked it.
  return login.code.expiresAt > tx.now ? 'busy' : 'refused'
}

async function endReused(tx: Transaction, sessionId: string): Promise<RedeemedCode> {
  const owner = await findSessionOwner(tx.db, sessionId)
  if (!owner) return 'refused'
  await deleteSessions(tx, [owner])
  return 'reused'
}

/** Ends a session of the OpenID provider. */
export const endOidcSession = operation({
  name: 'oidcSession.end',
  access: 'none',
  needsWriteLock: false,
  async run(tx: Transaction, { sessionId }: { readonly sessionId: string }): Promise<void> {
    const owner = await findSessionOwner(tx.db, sessionId)
    if (!owner) return
    await lockIdentity(tx, owner.identity_id)
    // It may have ended before the lock.
    if (await findSessionOwner(tx.db, sessionId)) await deleteSessions(tx, [owner])
  },
})
