import { AppError } from '@countersign/core'
import {
  ADMINISTRATOR_LEVEL,
  findAdministratorLevel,
  hasAdministratorWithoutRules,
} from '../../store/reads/administrator-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { canAdministratorLogIn, loadAdministratorAccess } from './administrator-access.ts'

/** A transaction whose actor, if it has one, may confirm that administrators are locked out. */
export interface LockOutTransaction extends Transaction {
  readonly actor?: { readonly isAdmin: boolean }
}

/**
 * Runs `change`, and undoes it by an error when it takes away the last administrator. Fails with LAST_ADMINISTRATOR when none is enabled any more, and with
 * WOULD_LOCK_OUT when no enabled one could log in, unless an administrator has confirmed that. Fails with WOULD_LOCK_OUT, too, where that depends on rules or on
 * tokens and the transaction does not have the last logins of administrators.
 */
export async function ensureAdministratorRemains(tx: LockOutTransaction, change: () => Promise<void>): Promise<void> {
  const { db, now, administratorLogins: logins } = tx
  const before = await findAdministratorLevel(db, now)
  const accessBefore = logins && (await loadAdministratorAccess(tx))
  await change()
  if (await hasAdministratorWithoutRules(db, now)) return
  const after = await findAdministratorLevel(db, now)
  if (after < before && after === ADMINISTRATOR_LEVEL.none) {
    throw new AppError('LAST_ADMINISTRATOR', { message: 'no other administrator is enabled and able to log in' })
  }
  if (after < before) {
    return confirmLockOut(tx, 'no enabled administrator would have a login that its authentication policy allows')
  }
  if (after < ADMINISTRATOR_LEVEL.ableToLogIn) return
  if (logins && accessBefore) {
    if (!canAdministratorLogIn(accessBefore, logins)) return
    if (canAdministratorLogIn(await loadAdministratorAccess(tx), logins, accessBefore)) return
  }
  confirmLockOut(
    tx,
    'no enabled administrator is known to pass the changed checks: their last logins would be refused, or their claims are not kept',
  )
}

/** Fails with WOULD_LOCK_OUT unless an administrator has confirmed the change: others must not take the last way in from administrators. */
function confirmLockOut({ actor, confirmsLockOut }: LockOutTransaction, what: string): void {
  if (confirmsLockOut && actor?.isAdmin) return
  const how = actor?.isAdmin ? 'repeat the request with confirmLockOut=true' : 'only an administrator can confirm this'
  throw new AppError('WOULD_LOCK_OUT', { message: `${what}: ${how}` })
}
