import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { lockIdentity } from '../../store/reads/lock-identity.ts'
import { getPasskey } from '../../store/reads/passkey-reads.ts'
import { clearPassedPasskey } from '../../store/writes/api-session-writes.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { deletePasskey, setPasskeyName } from '../../store/writes/passkey-writes.ts'
import { authorizeIdentityChange } from '../identity/authorize-identity-change.ts'
import { ensureAdministratorRemains } from '../identity/ensure-administrator-remains.ts'

/** Renames a passkey of the actor. Fails with NOT_FOUND for those of other identities. */
export const renamePasskey = operation({
  name: 'passkey.rename',
  access: 'self',
  target: 'passkeys',
  async run(tx, { id, name }: { readonly id: string; readonly name: string }): Promise<void> {
    await lockIdentity(tx, tx.actor.id)
    await getPasskey(tx.db, id, tx.actor.id)
    await setPasskeyName(tx, id, name)
  },
})

/** Removes a passkey of the actor. Fails with NOT_FOUND for those of other identities. */
export const removePasskey = operation({
  name: 'passkey.remove',
  access: 'self',
  target: 'passkeys',
  run: (tx, { id }: { readonly id: string }): Promise<void> => remove(tx, id, tx.actor.id),
})

export interface ResetPasskey {
  readonly id: string
  readonly identityId: string
}

/** Removes a passkey of an identity that the actor may change, for a lost device. */
export const resetPasskey = operation({
  name: 'passkey.reset',
  access: { entity: 'identity', action: 'delete', isWhole: true },
  target: 'passkeys',
  run: (tx, { id, identityId }: ResetPasskey): Promise<void> => remove(tx, id, identityId),
})

/** Ends the sessions that the passkey opened or completed. The one that removes it lacks the second factor again. */
async function remove(tx: AuthorizedTransaction, id: string, identityId: string): Promise<void> {
  const identity = await authorizeIdentityChange(tx, identityId)
  const removeIt = async () => {
    await lockIdentity(tx, identityId)
    await getPasskey(tx.db, id, identityId)
    await deletePasskey(tx, id)
    await endSessions(tx, { identityId, authenticatorId: id })
    await endSessions(tx, { identityId, passkeyId: id })
    await clearPassedPasskey(tx, identityId, id)
  }
  await (identity.isAdmin ? ensureAdministratorRemains(tx, removeIt) : removeIt())
}
