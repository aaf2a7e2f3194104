import type { OwnChange } from '../store/change.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { Store } from '../store/store.ts'
import type { AttemptLimits } from './attempt-limits.ts'

/** Most entries of the audit record are smaller. One of more counts as several changes. */
const BYTES_PER_CHANGE = 8_192

/** The name under which the changes of an organization are counted, by the access that they need. */
export function organizationChanges(organizationId: string, needed: string): string {
  return `${organizationId} ${needed}`
}

/**
 * Counts the states before and after a change, which the audit record keeps whole, against the limit on changes of the caller, or that of `countedAs`:
 * a signer has up to a megabyte, and a change of its tags has that twice. The request has counted as one change before it was run.
 */
export function chargeRecordedStates(
  store: Pick<Store, 'onOwnChange'>,
  { change: limit }: Pick<AttemptLimits, 'change'>,
): void {
  store.onOwnChange((changes, meta) => {
    for (const change of changes) {
      const further = Math.floor(lengthOf(change) / BYTES_PER_CHANGE)
      const key = further > 0 ? callerOf(change, meta) : undefined
      if (key !== undefined) limit.spend(key, further)
    }
  })
}

function lengthOf({ states }: OwnChange): number {
  return (states?.initial?.length ?? 0) + (states?.final?.length ?? 0)
}

/** Undefined for what is not limited by the caller. An administrator's sessions are not limited at all: what they spend has no effect. */
function callerOf(
  { entity }: OwnChange,
  { actorId, credential, organizationId, countedAs }: OperationMeta,
): string | undefined {
  if (!credential) return countedAs
  const isOfOrganization = organizationId !== undefined
  if ('sessionId' in credential) return isOfOrganization ? undefined : actorId
  return isOfOrganization ? organizationChanges(organizationId, entity === 'networks' ? entity : 'admin') : undefined
}
