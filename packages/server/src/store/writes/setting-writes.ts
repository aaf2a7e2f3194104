import type { Transaction } from '../transaction.ts'

/** Does nothing when the setting has a value already. */
export async function insertSetting({ db }: Transaction, name: string, value: string): Promise<void> {
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** Does nothing unless the setting has the value `replaced`. */
export async function replaceSetting(
  { db }: Transaction,
  name: string,
  { value, replaced }: { readonly value: string; readonly replaced: string },
): Promise<void> {
  await db.updateTable('settings').set({ value }).where('name', '=', name).where('value', '=', replaced).execute()
}
