import { findLocalOrganization } from '../store/reads/organization-reads.ts'
import type { Store } from '../store/store.ts'

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
}
