import { AppError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import type { Transaction } from '../../store/transaction.ts'
import { type AuthenticatorChange, updateAuthenticator as updateRow } from '../../store/writes/authenticator-writes.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { authorizeIdentityChange } from '../identity/authorize-identity-change.ts'
import { checkUsernameIsFree } from './check-username-is-free.ts'
import { getAuthenticator } from './get-authenticator.ts'

export interface UpdateAuthenticator extends AuthenticatorChange {
  readonly id: string
}

/** Changes an authenticator of an identity that the actor may change. */
export const updateAuthenticator = operation({
  name: 'authenticator.update',
  access: { entity: 'identity', action: 'update', isWhole: true },
  target: 'authenticators',
  async run(tx, { id, ...change }: UpdateAuthenticator): Promise<void> {
    const current = await getAuthenticator(tx, id)
    await authorizeIdentityChange(tx, current.identity_id)
    await changeAuthenticator(tx, current, change)
  },
})

export interface UpdateOwnAuthenticator extends UpdateAuthenticator {
  /** The password digest that the current password was compared with: the authenticator must still have it. */
  readonly comparedWith: string
}

/**
 * Changes one of the actor's own authenticators. Fails with NOT_FOUND for those of other identities, and with UNAUTHORIZED when its password
 * was changed meanwhile.
 */
export const updateOwnAuthenticator = operation({
  name: 'authenticator.updateOwn',
  access: 'self',
  target: 'authenticators',
  async run(tx, { id, comparedWith, ...change }: UpdateOwnAuthenticator): Promise<void> {
    const current = await getAuthenticator(tx, id, tx.actor.id)
    if (current.password_digest !== comparedWith) throw new AppError('UNAUTHORIZED')
    await changeAuthenticator(tx, current, change)
  },
})

/**
 * A new password ends the sessions that rest on the old one. Fails with CAN_NOT_UPDATE_AUTHENTICATOR for a user name or password on a
 * certificate, which is renewed, not changed, and with COULD_NOT_VALIDATE when the user name is not free.
 */
async function changeAuthenticator(
  tx: Transaction,
  { id, method, username, identity_id: identityId }: AuthenticatorRow,
  change: AuthenticatorChange,
): Promise<void> {
  const changesPassword = change.username !== undefined || change.passwordDigest !== undefined
  if (changesPassword && method !== 'updb') throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR')
  const { username: newName = username } = change
  if (newName !== null && newName !== username) await checkUsernameIsFree(tx, identityId, newName)
  if (changesPassword || change.tags !== undefined) await updateRow(tx, id, change)
  if (change.passwordDigest !== undefined) await endSessions(tx, { identityId, authenticatorId: id })
}
