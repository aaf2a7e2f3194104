import { AppError } from '@countersign/core'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { setRenewalRequested } from '../../store/writes/authenticator-writes.ts'
import { authorizeIdentityChange } from '../identity/authorize-identity-change.ts'
import { getAuthenticator } from './get-authenticator.ts'

/** Requests that the client renews a certificate, with a new key if `rollKeys`. */
export const requestRenewal = operation({
  name: 'authenticator.requestExtend',
  access: { entity: 'identity', action: 'update', isWhole: true },
  target: 'authenticators',
  async run(tx, { id, rollKeys }: { readonly id: string; readonly rollKeys: boolean }): Promise<void> {
    const { identity_id: identityId } = await getAuthenticator(tx, id)
    await request(tx, { identityId, id, rollKeys })
  },
})

/** Requests that an identity's clients renew their certificates. */
export const requestRenewalsOf = operation({
  name: 'authenticator.requestExtendOf',
  access: { entity: 'identity', action: 'update' },
  async run(tx, { identityId, rollKeys }: { readonly identityId: string; readonly rollKeys: boolean }): Promise<void> {
    await request(tx, { identityId, rollKeys })
  },
})

/** Fails with CAN_NOT_UPDATE_AUTHENTICATOR when there is no certificate. */
async function request(
  tx: AuthorizedTransaction,
  which: { readonly identityId: string; readonly id?: string; readonly rollKeys: boolean },
): Promise<void> {
  await authorizeIdentityChange(tx, which.identityId)
  if ((await setRenewalRequested(tx, which)) > 0) return
  throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR', { message: 'there is no certificate of this controller to renew' })
}
