import { operation } from '../../store/operation.ts'
import { findSetting } from '../../store/reads/setting-reads.ts'
import { insertSetting, replaceSetting } from '../../store/writes/setting-writes.ts'

export interface EnsureSetting {
  readonly name: string
  readonly value: string
  /** A stored value that is replaced. */
  readonly replaces?: string
}

/** Stores a setting that all nodes share, unless it has a value already. Returns the stored value. */
export const ensureSetting = operation({
  name: 'start.ensureSetting',
  access: 'none',
  async run(tx, { name, value, replaces }: EnsureSetting): Promise<string> {
    await insertSetting(tx, name, value)
    if (replaces !== undefined) await replaceSetting(tx, name, { value, replaced: replaces })
    return (await findSetting(tx.db, name)) ?? value
  },
})
