import type { HostedCaller } from '../../hosted/hosted-caller.ts'
import type { Store } from '../../store/store.ts'

type ReadableStore = Pick<Store, 'db' | 'dialect' | 'readLong'>

/** The store, in which long reads of this caller take turns with those of other callers of the organization. */
export function readsOfCaller(
  { db, dialect, readLong }: ReadableStore,
  { identityId }: Pick<HostedCaller, 'identityId'>,
): ReadableStore {
  return { db, dialect, readLong: (organizationId, query) => readLong(organizationId, query, identityId) }
}
