import { operation } from '../../store/operation.ts'
import { type UnusedAccount, unusedAccounts } from '../../store/reads/account-use-reads.ts'
import { setUseWarned } from '../../store/writes/account-use-writes.ts'

const BATCH = 100

/** Records that the unused accounts are warned of, which is an audit event of their organizations. Returns those that were not before; up to 100, so there may be more. */
export const warnOfUnusedAccounts = operation({
  name: 'apiAccount.warnOfUnused',
  access: 'none',
  async run(tx, { unusedSince }: { readonly unusedSince: number }): Promise<readonly UnusedAccount[]> {
    const unused = await unusedAccounts(tx.db, unusedSince, BATCH).execute()
    for (const { id } of unused) {
      await setUseWarned(tx, id)
      tx.changed({ entity: 'apiAccounts', id, action: 'unused' })
    }
    return unused
  },
})
