import { AppError } from '@countersign/core'
import { findAdministratorLevel } from '../../store/reads/administrator-reads.ts'
import type { Transaction } from '../../store/transaction.ts'

/** Runs `change`. Fails with LAST_ADMINISTRATOR and rolls back if that takes away the last administrator that is enabled or able to log in. */
export async function ensureAdministratorRemains(tx: Transaction, change: () => Promise<void>): Promise<void> {
  const before = await findAdministratorLevel(tx.db, tx.now)
  await change()
  if ((await findAdministratorLevel(tx.db, tx.now)) >= before) return
  throw new AppError('LAST_ADMINISTRATOR', { message: 'no other administrator is enabled and able to log in' })
}
