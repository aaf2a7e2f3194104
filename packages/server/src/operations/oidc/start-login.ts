import { operation } from '../../store/operation.ts'
import { insertOidcLogin, type NewOidcLogin } from '../../store/writes/oidc-login-writes.ts'

/** Begins a login at the authorization endpoint. */
export const startOidcLogin = operation({
  name: 'oidcLogin.start',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  run: (tx, login: NewOidcLogin): Promise<void> => insertOidcLogin(tx, login),
})
