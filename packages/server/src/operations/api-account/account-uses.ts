import { operation } from '../../store/operation.ts'
import { type UnusedAccount, unusedAccounts } from '../../store/reads/account-use-reads.ts'
import { type AccountUse, setUseWarned, upsertAccountUses } from '../../store/writes/account-use-writes.ts'

/** Stores the last uses of API accounts. Changes no account: neither its version nor any cache. */
export const noteAccountUses = operation({
  name: 'apiAccount.noteUses',
  access: 'none',
  needsWriteLock: false,
  async run(tx, { uses }: { readonly uses: readonly AccountUse[] }): Promise<void> {
    await upsertAccountUses(tx, uses)
  },
})

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
