import type { AuthenticatorMethod } from '@countersign/contract'
import { AppError } from '@countersign/core'
import { hasAuthenticator } from '../../store/reads/authenticator-reads.ts'
import type { Transaction } from '../../store/transaction.ts'

/** Fails with MAX_AUTHENTICATOR_METHODS_REACHED when the identity has an authenticator of the method: it can have only one of each. */
export async function checkNoAuthenticator(
  { db }: Transaction,
  method: AuthenticatorMethod,
  identityId: string,
): Promise<void> {
  if (!(await hasAuthenticator(db, identityId, method))) return
  const reason = 'the identity has an authenticator of this method already'
  throw new AppError('MAX_AUTHENTICATOR_METHODS_REACHED', { field: 'method', reason, value: method })
}
