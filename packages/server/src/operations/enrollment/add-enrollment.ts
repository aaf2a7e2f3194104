import { AppError, fieldError } from '@countersign/core'
import { isUsername } from '../../store/reads/authenticator-reads.ts'
import { hasEnrollment, isEnrollingUsername } from '../../store/reads/enrollment-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { duplicateError } from '../../store/unique-violation.ts'
import { insertEnrollment, type NewEnrollment } from '../../store/writes/enrollment-writes.ts'
import { checkHasNone } from '../authenticator/check-has-none.ts'

export type { NewEnrollment }

/**
 * Adds an enrollment that keeps the rules, whichever operation makes it. Fails with ENROLLMENT_EXISTS when the identity has one of the method,
 * and for passwords also when the identity has a password or the user name is taken.
 */
export async function addEnrollment(tx: Transaction, identityId: string, enrollment: NewEnrollment): Promise<void> {
  const { method, username } = enrollment
  if (await hasEnrollment(tx.db, identityId, method)) {
    const reason = 'the identity has an enrollment of this method already, which can be refreshed or deleted'
    throw new AppError('ENROLLMENT_EXISTS', { field: 'method', reason, value: method })
  }
  if (username !== null) {
    await checkHasNone(tx, 'updb', identityId)
    await checkUsernameIsFree(tx, username)
  }
  await insertEnrollment(tx, identityId, enrollment)
}

/** Enrollments count too: otherwise the second of two with the same user name would fail only when it is redeemed. */
async function checkUsernameIsFree({ db }: Transaction, username: string): Promise<void> {
  if (await isUsername(db, username)) throw duplicateError('authenticators_username', { updbUsername: username })
  if (await isEnrollingUsername(db, username)) {
    throw fieldError('username', 'another enrollment has this user name', username)
  }
}
