import type { OwnAuthenticatorPatch } from '@countersign/contract'
import { AppError, checkPlainText } from '@countersign/core'
import { updateOwnAuthenticator } from '../operations/authenticator/update-authenticator.ts'
import type { LiveSession } from '../session/live-sessions.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import { notFound } from '../store/not-found.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import { findAuthenticator } from '../store/reads/authenticator-reads.ts'
import type { Store } from '../store/store.ts'
import type { PasswordLogin } from './password-login.ts'

interface ChangeOwnPasswordParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly passwordLogin: Pick<PasswordLogin, 'check'>
  /** Returns the digest. Throws COULD_NOT_VALIDATE when the identity's policy does not allow the password. */
  digestNewPassword(identity: StoredIdentity, password: string): Promise<string>
}

interface PasswordChange {
  readonly session: Pick<LiveSession, 'identity' | 'policy'>
  readonly authenticatorId: string
  readonly clientAddress: string
  readonly body: OwnAuthenticatorPatch
}

/**
 * Changes user name and password of the session's identity. Throws UNAUTHORIZED when the current password is wrong, which counts as a failed
 * password login.
 */
export async function changeOwnPassword(
  { store, passwordLogin, digestNewPassword }: ChangeOwnPasswordParts,
  { session, authenticatorId, clientAddress: address, body }: PasswordChange,
  meta: OperationMeta,
): Promise<void> {
  const { identity, policy } = session
  const authenticator = await findAuthenticator(store.db, authenticatorId, identity.id)
  if (!authenticator) throw notFound('authenticator', authenticatorId)
  const { id, method, username: currentName, password_digest: digest } = authenticator
  if (method !== 'updb') throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR')
  const { currentPassword, password, username } = body
  const owner = { identity, policy, digest }
  // The name that logins count by: otherwise a stolen session would have guesses of its own.
  const attempt = { password: currentPassword, account: currentName ?? '', identityId: identity.id, address, owner }
  if (!(await passwordLogin.check.isRight(attempt))) {
    throw new AppError('UNAUTHORIZED', { field: 'currentPassword', reason: 'invalid current password', value: '' })
  }
  if (username) checkPlainText('username', username)
  const passwordDigest = password ? await digestNewPassword(identity, password) : undefined
  const change = { username: username || undefined, passwordDigest }
  await store.run(updateOwnAuthenticator, { id, comparedWith: digest ?? '', ...change }, meta)
}
