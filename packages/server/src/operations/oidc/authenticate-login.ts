import { type OidcLoginDetails, withSecondToken } from '../../store/oidc-login.ts'
import { operation } from '../../store/operation.ts'
import { lockOidcLogin } from '../../store/reads/oidc-login-reads.ts'
import { findLiveSessionRow } from '../../store/reads/session-reads.ts'
import { setPassedTotp } from '../../store/writes/api-session-writes.ts'
import { deleteSessions } from '../../store/writes/end-sessions.ts'
import { type NewOidcCode, setLoginSession } from '../../store/writes/oidc-login-writes.ts'
import {
  type CreateApiSession,
  decideOpening,
  insertApiSession,
  lockForOpening,
  type Opening,
} from '../api-session/start-session.ts'

export interface AuthenticateOidcLogin {
  readonly loginId: string
  readonly session: CreateApiSession
  readonly details: OidcLoginDetails
  /** Set when nothing is missing. */
  readonly code: NewOidcCode | undefined
}

/** What the identity has passed in this login, with what it had passed before. */
export interface AuthenticatedOidcLogin {
  readonly passedTotpId: string | null
  readonly details: OidcLoginDetails
  /** The session of another identity that had logged in before. The login no longer leads to it. */
  readonly replacedSessionId: string | undefined
}

/**
 * Opens the session of an identity that has logged in, as part of a login at the authorization endpoint. A login holds one identity: second
 * factors that the same identity has passed in it stay, those of another identity are lost with its session. Returns undefined when the login has
 * expired, or its code has been redeemed, and why the session was not opened as `createApiSession` does. Fails with INVALID_AUTH as
 * `createApiSession` does.
 */
export const authenticateOidcLogin = operation({
  name: 'oidcLogin.authenticate',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  async run(
    tx,
    { loginId, session, details: given, code }: AuthenticateOidcLogin,
  ): Promise<AuthenticatedOidcLogin | 'busy' | Exclude<Opening, 'opened'> | undefined> {
    const [locked, login] = await Promise.all([lockForOpening(tx, session), lockOidcLogin(tx, loginId)])
    if (login === 'busy') return login
    if (!login || login.code?.isRedeemed) return undefined
    const opening = await decideOpening(tx, session, locked)
    if (opening !== 'opened') return opening
    const earlier = login.session && (await findLiveSessionRow(tx.db, login.session.id, tx.now))
    const isSame = earlier?.identity_id === session.identityId
    const passedTotpId = isSame ? earlier.passed_totp_id : null
    const secondSigner = given.secondSigner ?? (isSame ? login.session?.details.secondSigner : undefined)
    const details = secondSigner ? withSecondToken(given, secondSigner) : given
    // Sent together.
    await Promise.all([
      insertApiSession(tx, session),
      setLoginSession(tx, loginId, { sessionId: session.id, details, code }),
    ])
    if (passedTotpId !== null) await setPassedTotp(tx, session.id, passedTotpId)
    if (isSame) await deleteSessions(tx, [earlier])
    return { passedTotpId, details, replacedSessionId: isSame ? undefined : earlier?.id }
  },
  hasHappened: (passed) => typeof passed === 'object',
})
