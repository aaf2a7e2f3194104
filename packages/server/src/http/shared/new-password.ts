import { AppError, checkPassword } from '@countersign/core'
import type { PasswordLogin } from '../../login/password-login.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { findAuthPolicy } from '../../store/reads/auth-policy-reads.ts'
import type { Store } from '../../store/store.ts'

export interface NewPasswordParts {
  readonly store: Pick<Store, 'db'>
  readonly passwordLogin: Pick<PasswordLogin, 'passwords'>
}

/**
 * The digest of a new password, which the identity itself or another caller sets. COULD_NOT_VALIDATE when it breaks a rule of the identity's
 * policy.
 */
export async function digestNewPassword(
  { store, passwordLogin }: NewPasswordParts,
  { id, authPolicyId }: Pick<StoredIdentity, 'id' | 'authPolicyId'>,
  password: string,
  callerId = id,
): Promise<string> {
  const policy = await findAuthPolicy(store.db, authPolicyId)
  if (!policy) throw new AppError('NOT_FOUND')
  checkPassword(password, policy.primary.updb)
  return passwordLogin.passwords.digest(password, callerId)
}
