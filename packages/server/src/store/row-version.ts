import { AppError } from '@countersign/core'
import type { OperationMeta } from './operation-meta.ts'

const ANY_VERSION = '*'

/** The version of a row as it is told to callers. Each change of the row gives it another. */
export function entityTag(updatedAt: number): string {
  return `"${updatedAt.toString(36)}"`
}

/**
 * The instant of a write to a row that was last changed at `updatedAt`: later than that, whatever the clock says, so that
 * no two versions of a row have the same. Fails with PRECONDITION_FAILED when the caller saw another version than this.
 */
export function nextVersion(updatedAt: number, { now, ifMatch }: Pick<OperationMeta, 'now' | 'ifMatch'>): number {
  const tag = entityTag(updatedAt)
  const isSeen =
    ifMatch === undefined || ifMatch.split(',').some((part) => part.trim() === tag || part.trim() === ANY_VERSION)
  if (!isSeen) throw new AppError('PRECONDITION_FAILED')
  return Math.max(now, updatedAt + 1)
}
