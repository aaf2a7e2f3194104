import { AppError, DEFAULT_AUTH_POLICY_ID } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { refuseUsedAuthPolicy } from '../../store/reads/reference-reads.ts'
import { deleteAuthPolicy as deleteRow } from '../../store/writes/auth-policy-writes.ts'
import { getAuthPolicy } from './update-auth-policy.ts'

export const deleteAuthPolicy = operation({
  name: 'authPolicy.delete',
  access: { entity: 'auth-policy', action: 'delete' },
  target: 'authPolicies',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    await getAuthPolicy(tx, id)
    await refuseUsedAuthPolicy(tx.db, id)
    if (id === DEFAULT_AUTH_POLICY_ID) {
      throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', {
        field: 'authPolicyId',
        reason: 'the default authentication policy applies to every identity that has no other',
        value: id,
      })
    }
    await deleteRow(tx, id)
  },
})
