import { operation } from '../../store/operation.ts'
import { type NewOidcCode, setLoginCode } from '../../store/writes/oidc-login-writes.ts'
import { lockLogin } from './lock-login.ts'

export interface IssueOidcCode {
  readonly loginId: string
  /** The session that was found complete: another one may have replaced it since. */
  readonly sessionId: string
  readonly code: NewOidcCode
}

/** Issues the code of a login whose last step did not. A login has one code at a time. Returns whether it was issued. */
export const issueOidcCode = operation({
  name: 'oidcLogin.issueCode',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  async run(tx, { loginId, sessionId, code }: IssueOidcCode): Promise<boolean | 'busy'> {
    const login = await lockLogin(tx, loginId)
    if (login === 'busy') return login
    if (!login || login.code || login.session?.id !== sessionId) return false
    await setLoginCode(tx, loginId, code)
    return true
  },
})
