import { AppError, echoedValue } from '@countersign/core'
import { findCa } from '../../store/reads/ca-reads.ts'
import { hasEnrollment } from '../../store/reads/enrollment-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertEnrollment, type NewEnrollment } from '../../store/writes/enrollment-writes.ts'
import { checkNoAuthenticator } from '../authenticator/check-no-authenticator.ts'
import { checkUsernameIsFree } from '../authenticator/check-username-is-free.ts'

export type { NewEnrollment }

/**
 * Validates and inserts an enrollment; for any operation that creates one. Fails with ENROLLMENT_EXISTS when the identity has one of the method,
 * with NOT_FOUND when there is no such
 * CA, and for passwords also when the identity has a password or the user name is taken.
 */
export async function addEnrollment(tx: Transaction, identityId: string, enrollment: NewEnrollment): Promise<void> {
  const { method, username, caId } = enrollment
  if (await hasEnrollment(tx.db, identityId, method)) {
    const reason = 'the identity already has an enrollment of this method: refresh or delete it'
    throw new AppError('ENROLLMENT_EXISTS', { field: 'method', reason, value: method })
  }
  if (caId !== null && !(await findCa(tx.db, caId))) {
    throw new AppError('NOT_FOUND', { field: 'caId', reason: 'not found', value: echoedValue(caId) })
  }
  if (username !== null) {
    await checkNoAuthenticator(tx, 'updb', identityId)
    await checkUsernameIsFree(tx, identityId, username)
  }
  await insertEnrollment(tx, identityId, enrollment)
}
