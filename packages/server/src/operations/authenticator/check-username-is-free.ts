import { fieldError } from '@countersign/core'
import { isUsername } from '../../store/reads/authenticator-reads.ts'
import { isEnrollingUsername } from '../../store/reads/enrollment-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { duplicateError } from '../../store/unique-violation.ts'

/**
 * Fails with COULD_NOT_VALIDATE when an authenticator has the user name, or an enrollment of another identity: it would fail only when it is
 * redeemed.
 */
export async function checkUsernameIsFree({ db }: Transaction, identityId: string, username: string): Promise<void> {
  if (await isUsername(db, username)) throw duplicateError('authenticators_username', { updbUsername: username })
  if (await isEnrollingUsername(db, username, { exceptFor: identityId })) {
    throw fieldError('username', 'another enrollment has this user name', username)
  }
}
