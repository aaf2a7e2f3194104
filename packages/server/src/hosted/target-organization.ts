import { AppError } from '@countersign/core'
import { checkTargetOrganization } from '../operations/organization/target-organization.ts'
import type { Store } from '../store/store.ts'
import type { HostedCaller } from './hosted-caller.ts'

/**
 * Decides which organization a call acts on: the caller's own. An administrator of the organization that owns this controller may also name an
 * organization without API accounts, to set it up. Once it has an account, only its own accounts act on it.
 */
export class TargetOrganizations {
  readonly #store: Pick<Store, 'db'>

  constructor(store: Pick<Store, 'db'>) {
    this.#store = store
  }

  /** Returns the id of the `wanted` organization, by default the caller's own. Throws NOT_FOUND when the caller may not act on it. */
  async getId({ organizationId, role }: HostedCaller, wanted: string | undefined): Promise<string> {
    if (!wanted || wanted === organizationId) return organizationId
    if (role !== 'admin') throw new AppError('FORBIDDEN')
    await checkTargetOrganization({ db: this.#store.db, organizationId }, wanted)
    return wanted
  }
}
