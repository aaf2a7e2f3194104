import { operation } from '../../store/operation.ts'
import { type AccountUse, upsertAccountUses } from '../../store/writes/account-use-writes.ts'

/** Stores the last uses of API accounts. Changes no account: neither its version nor any cache. */
export const noteAccountUses = operation({
  name: 'apiAccount.noteUses',
  access: 'none',
  needsWriteLock: false,
  async run(tx, { uses }: { readonly uses: readonly AccountUse[] }): Promise<void> {
    await upsertAccountUses(tx, uses)
  },
})
