import { AppError } from '@countersign/core'
import { notFound } from '../store/not-found.ts'
import { hasAccounts } from '../store/reads/account-reads.ts'
import { findOrganization } from '../store/reads/organization-reads.ts'
import type { Store } from '../store/store.ts'
import type { HostedCaller } from './hosted-caller.ts'
import type { LocalOrganization } from './local-organization.ts'

/**
 * Decides which organization a call acts on: the caller's own. An administrator of the organization that owns this controller may also name an
 * organization without API accounts, to set it up. Once it has an account, only its own accounts act on it.
 */
export class TargetOrganizations {
  readonly #store: Pick<Store, 'db'>
  readonly #localOrganization: LocalOrganization

  constructor(store: Pick<Store, 'db'>, localOrganization: LocalOrganization) {
    this.#store = store
    this.#localOrganization = localOrganization
  }

  /** Returns the id of the `wanted` organization, by default the caller's own. Throws NOT_FOUND when the caller may not act on it. */
  async getId(caller: HostedCaller, wanted: string | undefined): Promise<string> {
    if (!wanted || wanted === caller.organizationId) return caller.organizationId
    if (caller.role !== 'admin') throw new AppError('FORBIDDEN')
    const { db } = this.#store
    const organization = (await this.#localOrganization.isOperator(caller))
      ? await findOrganization(db, wanted)
      : undefined
    if (!organization || (await hasAccounts(db, wanted))) throw notFound('organization', wanted)
    return organization.id
  }
}
