import { operation } from '../../store/operation.ts'
import { addEnrollment, type NewEnrollment } from '../enrollment/add-enrollment.ts'
import { removeAuthenticator } from './delete-authenticator.ts'
import { getAuthenticator } from './get-authenticator.ts'

export interface ReEnroll {
  /** The authenticator's id. */
  readonly id: string
  readonly enrollment: Omit<NewEnrollment, 'method' | 'username' | 'caId'>
}

/** Replaces an authenticator by an enrollment of the same kind: the identity must enroll again before its next login. */
export const reEnroll = operation({
  name: 'authenticator.reEnroll',
  access: { entity: 'identity', action: 'update', isWhole: true },
  target: 'authenticators',
  async run(tx, { id, enrollment }: ReEnroll): Promise<void> {
    const current = await getAuthenticator(tx, id)
    await removeAuthenticator(tx, current)
    const { identity_id: identityId, method, username } = current
    const kind = method === 'updb' ? ({ method, username } as const) : ({ method: 'ott', username: null } as const)
    await addEnrollment(tx, identityId, { ...enrollment, ...kind, caId: null })
  },
})
