import { AppError } from '@countersign/core'
import { countAdministratorsLeft } from '../../store/reads/administrator-reads.ts'
import type { WriteContext } from '../../store/write-operation.ts'

/** Makes a change that must not be the one that leaves nobody to undo it: LAST_ADMINISTRATOR, and nothing is changed. */
export async function keepingAdministrators(context: WriteContext, change: () => Promise<void>): Promise<void> {
  const before = await countAdministratorsLeft(context.db, context.now)
  await change()
  if ((await countAdministratorsLeft(context.db, context.now)) >= before) return
  throw new AppError('LAST_ADMINISTRATOR', { message: 'no other administrator is enabled and able to sign in' })
}
