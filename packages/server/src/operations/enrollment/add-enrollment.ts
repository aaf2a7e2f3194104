import { AppError, fieldError } from '@countersign/core'
import { isUsername } from '../../store/reads/authenticator-reads.ts'
import { hasEnrollment, isEnrollingUsername } from '../../store/reads/enrollment-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { duplicateError } from '../../store/unique-violation.ts'
import { insertEnrollment, type NewEnrollment } from '../../store/writes/enrollment-writes.ts'
import { checkNoAuthenticator } from '../authenticator/check-no-authenticator.ts'

export type { NewEnrollment }

/**
 * Validates and inserts an enrollment; for any operation that creates one. Fails with ENROLLMENT_EXISTS when the identity has one of the method,
 * and for passwords also when the identity has a password or the user name is taken.
 */
export async function addEnrollment(tx: Transaction, identityId: string, enrollment: NewEnrollment): Promise<void> {
  const { method, username } = enrollment
  if (await hasEnrollment(tx.db, identityId, method)) {
    const reason = 'the identity already has an enrollment of this method: refresh or delete it'
    throw new AppError('ENROLLMENT_EXISTS', { field: 'method', reason, value: method })
  }
  if (username !== null) {
    await checkNoAuthenticator(tx, 'updb', identityId)
    await checkUsernameIsFree(tx, username)
  }
  await insertEnrollment(tx, identityId, enrollment)
}

/** Checks enrollments too: otherwise the second of two with the same user name would fail only when it is redeemed. */
async function checkUsernameIsFree({ db }: Transaction, username: string): Promise<void> {
  if (await isUsername(db, username)) throw duplicateError('authenticators_username', { updbUsername: username })
  if (await isEnrollingUsername(db, username)) {
    throw fieldError('username', 'another enrollment has this user name', username)
  }
}
