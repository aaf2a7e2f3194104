import type { Transaction } from '../transaction.ts'

export interface AccountUse {
  readonly accountId: string
  readonly at: number
  /** The client address. */
  readonly from: string
}

const MAX_ADDRESS_LENGTH = 64

/** Stores uses that are later than the known ones. Accounts that were deleted meanwhile are left out. A used account can be warned of again. */
export async function upsertAccountUses({ db }: Transaction, uses: readonly AccountUse[]): Promise<void> {
  for (const { accountId, at, from } of uses.toSorted(byAccount)) {
    const account = db.selectFrom('api_accounts').select('id').where('id', '=', accountId)
    if (!(await account.executeTakeFirst())) continue
    const use = { used_at: at, used_from: from.slice(0, MAX_ADDRESS_LENGTH), warned_at: null }
    await db
      .insertInto('api_account_uses')
      .values({ account_id: accountId, ...use })
      .onConflict((of) =>
        of
          .column('account_id')
          .doUpdateSet(use)
          .where((is) => is.or([is('api_account_uses.used_at', 'is', null), is('api_account_uses.used_at', '<', at)])),
      )
      .execute()
  }
}

/** Nodes that write at once lock the rows in the same order. */
function byAccount(one: AccountUse, other: AccountUse): number {
  return one.accountId < other.accountId ? -1 : 1
}

/** Records that an account is reported as unused. */
export async function setUseWarned({ db, now }: Transaction, accountId: string): Promise<void> {
  await db
    .insertInto('api_account_uses')
    .values({ account_id: accountId, used_at: null, used_from: null, warned_at: now })
    .onConflict((of) => of.column('account_id').doUpdateSet({ warned_at: now }))
    .execute()
}
