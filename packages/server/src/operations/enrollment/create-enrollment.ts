import { invalidField } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findCa } from '../../store/reads/ca-reads.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import { authorizeCredentialGrant } from '../identity/authorize-identity-change.ts'
import { addEnrollment, type NewEnrollment } from './add-enrollment.ts'

export interface CreateEnrollment extends NewEnrollment {
  readonly identityId: string
}

export const createEnrollment = operation({
  name: 'enrollment.create',
  access: { entity: 'enrollment', action: 'create' },
  async run(tx, { identityId, ...enrollment }: CreateEnrollment): Promise<void> {
    if (!(await findIdentity(tx.db, identityId))) throw invalidField('identityId', 'not found', identityId)
    const { caId } = enrollment
    if (caId !== null && !(await findCa(tx.db, caId))) throw invalidField('caId', 'not found', caId)
    await authorizeCredentialGrant(tx, identityId)
    await addEnrollment(tx, identityId, enrollment)
  },
})
