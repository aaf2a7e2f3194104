import type { AccountRole } from '@countersign/contract'
import { findLocalOrganization } from '../store/reads/organization-reads.ts'
import type { Store } from '../store/store.ts'

interface OrganizationMember {
  readonly organizationId: string
  readonly role: AccountRole
}

/** The organization that owns this controller. It never changes. */
export class LocalOrganization {
  readonly #store: Pick<Store, 'db'>
  #id: string | undefined

  constructor(store: Pick<Store, 'db'>) {
    this.#store = store
  }

  async id(): Promise<string> {
    this.#id ??= await findLocalOrganization(this.#store.db)
    if (this.#id === undefined) throw new TypeError('the local organization has not been created')
    return this.#id
  }

  /** Whether the caller is the operator: an administrator of this organization. */
  async isOperator({ organizationId, role }: OrganizationMember): Promise<boolean> {
    return role === 'admin' && organizationId === (await this.id())
  }
}
