import { findLocalOrganization } from '../store/reads/organization-reads.ts'
import type { Store } from '../store/store.ts'

/** The id of the organization that owns this controller. It never changes. */
export type LocalOrganization = () => Promise<string>

export function createLocalOrganization({ db }: Store): LocalOrganization {
  let known: string | undefined
  return async () => {
    known ??= await findLocalOrganization(db)
    if (known === undefined) throw new TypeError('the first start has not created the local organization')
    return known
  }
}
