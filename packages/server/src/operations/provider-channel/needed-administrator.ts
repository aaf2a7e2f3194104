import { findAdministratorLevel } from '../../store/reads/administrator-reads.ts'
import type { Transaction } from '../../store/transaction.ts'

/** Whether no other administrator is enabled, or able to log in where this one is. */
export async function isNeededAdministrator(
  { db, now }: Transaction,
  { id, isAdmin }: { readonly id: string; readonly isAdmin: boolean },
): Promise<boolean> {
  if (!isAdmin) return false
  const level = await findAdministratorLevel(db, now)
  return (await findAdministratorLevel(db, now, { without: id })) < level
}
