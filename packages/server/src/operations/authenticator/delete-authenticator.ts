import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import { deleteAuthenticator as deleteRow } from '../../store/writes/authenticator-writes.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { authorizeIdentityChange } from '../identity/authorize-identity-change.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'
import { getAuthenticator } from './get-authenticator.ts'

export const deleteAuthenticator = operation({
  name: 'authenticator.delete',
  access: { entity: 'identity', action: 'delete', isWhole: true },
  target: 'authenticators',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    await removeAuthenticator(tx, await getAuthenticator(tx, id))
  },
})

/** Deletes an authenticator of an identity that the actor may change, and ends the sessions that rest on it. */
export async function removeAuthenticator(
  tx: AuthorizedTransaction,
  { id, identity_id: identityId }: AuthenticatorRow,
): Promise<void> {
  const identity = await authorizeIdentityChange(tx, identityId)
  const remove = async () => {
    await deleteRow(tx, id)
    await endSessions(tx, { identityId, authenticatorId: id })
  }
  await (identity.isAdmin ? ensureAdministratorRemains(tx, remove) : remove())
}
