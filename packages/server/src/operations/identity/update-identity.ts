import type { IdentityPatch, IdentityWrite } from '@countersign/contract'
import {
  AppError,
  hasRights,
  type IdentitySettings,
  isAccountIdentity,
  patchedIdentity,
  replacedIdentity,
} from '@countersign/core'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { noteLostExternalId, updateIdentity } from '../../store/writes/identity-writes.ts'
import { authorizeIdentityChange } from './authorize-identity-change.ts'
import { checkIdentity } from './create-identity.ts'
import { ensureAdministratorRemains } from './ensure-administrator-remains.ts'

const ACCESS = { entity: 'identity', action: 'update' } as const

export const replaceIdentity = operation({
  name: 'identity.replace',
  access: ACCESS,
  target: 'identities',
  async run(tx, { id, body }: { readonly id: string; readonly body: IdentityWrite }): Promise<void> {
    const current = await authorizeIdentityChange(tx, id)
    await changeIdentity(tx, current, replacedIdentity(current, body))
  },
})

export const patchIdentity = operation({
  name: 'identity.patch',
  access: ACCESS,
  target: 'identities',
  async run(tx, { id, body }: { readonly id: string; readonly body: IdentityPatch }): Promise<void> {
    const current = await authorizeIdentityChange(tx, id)
    if (Object.keys(body).length > 0) await changeIdentity(tx, current, patchedIdentity(current, body))
  },
})

/**
 * A new `externalId` ends the sessions of tokens that named the old one, whose subject is not provisioned again for some time. A past `expiresAt` ends all
 * sessions.
 */
async function changeIdentity(
  tx: AuthorizedTransaction,
  current: StoredIdentity,
  next: IdentitySettings,
): Promise<void> {
  if (!tx.actor.isAdmin && (changesRights(current, next) || prolongsRights(current, next))) {
    throw new AppError('UNAUTHORIZED')
  }
  if (current.isDefaultAdmin && !next.isAdmin) {
    throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message: 'the default administrator stays an administrator' })
  }
  if (isAccountIdentity(current.id) && changesAccountFields(current, next)) {
    const message = 'name, policy, external id and rights of the identity of an API account are set by the account'
    throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message })
  }
  await checkIdentity(tx, current.id, next, current)
  const update = async () => {
    await updateIdentity(tx, current, next)
    const { id: identityId, externalId, expiresAt } = current
    if (next.expiresAt !== expiresAt && next.expiresAt !== null && next.expiresAt <= tx.now) {
      await endSessions(tx, { identityId })
    }
    if (externalId === null || externalId === next.externalId) return
    await endSessions(tx, { identityId, externalId })
    await noteLostExternalId(tx, externalId)
  }
  await (current.isAdmin ? ensureAdministratorRemains(tx, update) : update())
}

/** Linking an identity to a signer lets the signer's identity provider end its access. */
function changesRights(current: IdentitySettings, next: IdentitySettings): boolean {
  return (
    next.isAdmin !== current.isAdmin ||
    next.permissions.join() !== current.permissions.join() ||
    next.linkedSigners.join() !== current.linkedSigners.join()
  )
}

/** Those whose rights an administrator has limited in time could otherwise keep them, alone or together. */
function prolongsRights(current: IdentitySettings, next: IdentitySettings): boolean {
  const endOf = ({ expiresAt }: IdentitySettings): number => expiresAt ?? Number.POSITIVE_INFINITY
  return hasRights(current) && endOf(next) > endOf(current)
}

function changesAccountFields(current: IdentitySettings, next: IdentitySettings): boolean {
  const isSame = (['name', 'externalId', 'authPolicyId'] as const).every((field) => current[field] === next[field])
  return !isSame || changesRights(current, next)
}
