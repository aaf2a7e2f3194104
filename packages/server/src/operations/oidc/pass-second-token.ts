import type { SignerRevision } from '../../store/actor-credential.ts'
import { withSecondToken } from '../../store/oidc-login.ts'
import { operation } from '../../store/operation.ts'
import { setLoginSession } from '../../store/writes/oidc-login-writes.ts'
import { lockLogin } from './lock-login.ts'

export interface PassSecondToken {
  readonly loginId: string
  /** The session whose second factor it is: another one may have replaced it since. */
  readonly sessionId: string
  readonly secondSigner: SignerRevision
}

/** Records that a token was given as the second factor of a login. */
export const passSecondToken = operation({
  name: 'oidcLogin.passSecondToken',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  async run(tx, { loginId, sessionId, secondSigner }: PassSecondToken): Promise<'busy' | undefined> {
    const login = await lockLogin(tx, loginId)
    if (login === 'busy') return login
    if (login?.session?.id !== sessionId || login.code) return undefined
    const details = withSecondToken(login.session.details, secondSigner)
    await setLoginSession(tx, loginId, { sessionId, details, code: undefined })
    return undefined
  },
})
