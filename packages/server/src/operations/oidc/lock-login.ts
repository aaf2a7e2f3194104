import type { StoredOidcLogin } from '../../store/oidc-login.ts'
import { lockIdentity } from '../../store/reads/lock-identity.ts'
import { lockOidcLogin } from '../../store/reads/oidc-login-reads.ts'
import type { Transaction } from '../../store/transaction.ts'

/** Locks the identity of the actor and a login in one round trip. Returns the login as `lockOidcLogin` does. */
export async function lockLogin(tx: Transaction, loginId: string): Promise<StoredOidcLogin | 'busy' | undefined> {
  const [, login] = await Promise.all([lockIdentity(tx, tx.actorId), lockOidcLogin(tx, loginId)])
  return login
}
