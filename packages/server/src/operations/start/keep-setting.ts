import { operation } from '../../store/operation.ts'
import { findSetting } from '../../store/reads/setting-reads.ts'
import { insertSetting, replaceSetting } from '../../store/writes/setting-writes.ts'

export interface KeptSetting {
  readonly name: string
  readonly value: string
  /** Replaces this value too, if it is the present one. */
  readonly replaces?: string
}

/** Stores a value that all nodes share, unless there is another one. Returns the value that is stored now. */
export const keepSetting = operation({
  name: 'start.keepSetting',
  access: 'none',
  async run(tx, { name, value, replaces }: KeptSetting): Promise<string> {
    await insertSetting(tx, name, value)
    if (replaces !== undefined) await replaceSetting(tx, name, { value, replaced: replaces })
    return (await findSetting(tx.db, name)) ?? value
  },
})
