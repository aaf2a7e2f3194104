import { AppError } from '@countersign/core'
import { ADMINISTRATOR_LEVEL, findAdministratorLevel } from '../../store/reads/administrator-reads.ts'
import type { Transaction } from '../../store/transaction.ts'

/** A transaction whose actor, if it has one, may confirm that administrators are locked out. */
export interface LockOutTransaction extends Transaction {
  readonly actor?: { readonly isAdmin: boolean }
}

/**
 * Runs `change`, and undoes it by an error when it takes away the last administrator. Fails with LAST_ADMINISTRATOR when none is enabled any more, and with
 * WOULD_LOCK_OUT when no enabled one could log in, unless an administrator has confirmed that.
 */
export async function ensureAdministratorRemains(tx: LockOutTransaction, change: () => Promise<void>): Promise<void> {
  const before = await findAdministratorLevel(tx.db, tx.now)
  await change()
  const after = await findAdministratorLevel(tx.db, tx.now)
  if (after >= before) return
  if (after === ADMINISTRATOR_LEVEL.none) {
    throw new AppError('LAST_ADMINISTRATOR', { message: 'no other administrator is enabled and able to log in' })
  }
  confirmLockOut(tx, 'no enabled administrator would have a login that its authentication policy allows')
}

/** Fails with WOULD_LOCK_OUT unless an administrator has confirmed the change: others must not take the last way in from administrators. */
function confirmLockOut({ actor, confirmsLockOut }: LockOutTransaction, what: string): void {
  if (confirmsLockOut && actor?.isAdmin) return
  const how = actor?.isAdmin ? 'repeat the request with confirmLockOut=true' : 'only an administrator can confirm this'
  throw new AppError('WOULD_LOCK_OUT', { message: `${what}: ${how}` })
}
