import { AppError } from '@countersign/core'
import type { OperationMeta } from './operation-meta.ts'

const ANY_VERSION = '*'

/** The ETag of a row. Every change of the row changes it. */
export function entityTag(updatedAt: number): string {
  return `"${updatedAt.toString(36)}"`
}

/**
 * The timestamp of a write to a row last changed at `updatedAt`: always later, even if the clock has gone back, so that no two
 * versions share an ETag. Fails with PRECONDITION_FAILED when `If-Match` does not name the current version.
 */
export function nextVersion(updatedAt: number, { now, ifMatch }: Pick<OperationMeta, 'now' | 'ifMatch'>): number {
  checkVersion(updatedAt, ifMatch)
  return Math.max(now, updatedAt + 1)
}

/** Fails with PRECONDITION_FAILED when `If-Match` is given and does not name the version. */
export function checkVersion(updatedAt: number, ifMatch: string | undefined): void {
  const tag = entityTag(updatedAt)
  const matches =
    ifMatch === undefined || ifMatch.split(',').some((part) => part.trim() === tag || part.trim() === ANY_VERSION)
  if (!matches) throw new AppError('PRECONDITION_FAILED')
}
