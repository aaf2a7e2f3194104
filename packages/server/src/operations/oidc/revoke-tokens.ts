import { operation } from '../../store/operation.ts'
import { findLiveSessionRow } from '../../store/reads/session-reads.ts'
import { endOidcSessions } from '../../store/writes/end-sessions.ts'
import { storeRevocation } from '../../store/writes/revocation-writes.ts'

export interface RevokeToken {
  readonly jti: string
  readonly expiresAt: number
}

/** Revokes an access token that its holder has presented. */
export const revokeToken = operation({
  name: 'oidcToken.revoke',
  access: 'none',
  needsWriteLock: false,
  isRecorded: false,
  run: (tx, { jti, expiresAt }: RevokeToken): Promise<void> =>
    storeRevocation(tx, { id: jti, type: 'JTI', issuedBefore: null, expiresAt, tags: '{}' }),
})

/**
 * Ends all sessions that the OpenID provider has opened for the identity of a session, if that is live. The caller has verified the id token that
 * names the session.
 */
export const endOidcSessionsOf = operation({
  name: 'oidcSession.endAllOf',
  access: 'none',
  async run(tx, { sessionId }: { readonly sessionId: string }): Promise<void> {
    const session = await findLiveSessionRow(tx.db, sessionId, tx.now)
    if (session) await endOidcSessions(tx, session.identity_id)
  },
})
