import { notFound } from '../../store/not-found.ts'
import { type AuthorizedTransaction, operation } from '../../store/operation.ts'
import { findEnrollment } from '../../store/reads/enrollment-reads.ts'
import {
  deleteEnrollment as deleteRow,
  type StoredToken,
  updateEnrollmentToken,
} from '../../store/writes/enrollment-writes.ts'
import { authorizeIdentityChange } from '../identity/authorize-identity-change.ts'

export interface RefreshEnrollment extends StoredToken {
  readonly id: string
}

/** Gives an enrollment a new token and expiry; the old token is invalid from now on. */
export const refreshEnrollment = operation({
  name: 'enrollment.refresh',
  access: { entity: 'enrollment', action: 'update' },
  target: 'enrollments',
  async run(tx, { id, ...token }: RefreshEnrollment): Promise<void> {
    await authorizeEnrollmentChange(tx, id)
    await updateEnrollmentToken(tx, id, token)
  },
})

export const deleteEnrollment = operation({
  name: 'enrollment.delete',
  access: { entity: 'enrollment', action: 'delete' },
  target: 'enrollments',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    await authorizeEnrollmentChange(tx, id)
    await deleteRow(tx, id)
  },
})

/** Fails unless the actor may change the identity that the enrollment belongs to. */
async function authorizeEnrollmentChange(tx: AuthorizedTransaction, id: string): Promise<void> {
  const row = await findEnrollment(tx.db, id)
  if (!row) throw notFound('enrollment', id)
  await authorizeIdentityChange(tx, row.identity_id)
}
