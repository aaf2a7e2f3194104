import { AppError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import type { Transaction } from '../../store/transaction.ts'
import { type AuthenticatorChange, updateAuthenticator as updateRow } from '../../store/writes/authenticator-writes.ts'
import { authorizeIdentityChange } from '../identity/authorize-identity-change.ts'
import { getAuthenticator } from './get-authenticator.ts'

export interface UpdateAuthenticator extends AuthenticatorChange {
  readonly id: string
}

/** Changes an authenticator of an identity that the actor may change. */
export const updateAuthenticator = operation({
  name: 'authenticator.update',
  access: { entity: 'authenticator', action: 'update', orAllOf: 'identity' },
  target: 'authenticators',
  async run(tx, { id, ...change }: UpdateAuthenticator): Promise<void> {
    const current = await getAuthenticator(tx, id)
    await authorizeIdentityChange(tx, current.identity_id)
    await changeAuthenticator(tx, current, change)
  },
})

/** Changes an authenticator of the actor's own. The authenticators of others do not exist here: NOT_FOUND. */
export const updateOwnAuthenticator = operation({
  name: 'authenticator.updateOwn',
  access: 'self',
  target: 'authenticators',
  async run(tx, { id, ...change }: UpdateAuthenticator): Promise<void> {
    await changeAuthenticator(tx, await getAuthenticator(tx, id, tx.actor.id), change)
  },
})

/** User name and password exist with the method updb only: a certificate is renewed, not changed. */
async function changeAuthenticator(
  tx: Transaction,
  { id, method }: AuthenticatorRow,
  change: AuthenticatorChange,
): Promise<void> {
  const isAboutPassword = change.username !== undefined || change.passwordDigest !== undefined
  if (isAboutPassword && method !== 'updb') throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR')
  if (isAboutPassword || change.tags !== undefined) await updateRow(tx, id, change)
}
