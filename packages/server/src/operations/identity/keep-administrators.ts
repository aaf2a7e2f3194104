import { AppError } from '@countersign/core'
import { countAdministratorsLeft } from '../../store/reads/administrator-reads.ts'
import type { Transaction } from '../../store/transaction.ts'

/** Makes a change unless it would leave no administrator who can log in: LAST_ADMINISTRATOR, with everything undone. */
export async function keepAdministrators(tx: Transaction, change: () => Promise<void>): Promise<void> {
  const before = await countAdministratorsLeft(tx.db, tx.now)
  await change()
  if ((await countAdministratorsLeft(tx.db, tx.now)) >= before) return
  throw new AppError('LAST_ADMINISTRATOR', { message: 'no other administrator is enabled and able to sign in' })
}
