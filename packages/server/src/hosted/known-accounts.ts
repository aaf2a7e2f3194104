import { claimTextError, createLruCache, MAX_IDENTITY_CLAIM_LENGTH } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import { type Change, isReport } from '../store/change.ts'
import { type ClientKey, findAccountOfClient, type KnownAccount } from '../store/reads/account-client-reads.ts'
import { type FederatedAccount, listFederatedAccounts } from '../store/reads/federated-account-reads.ts'
import type { Store } from '../store/store.ts'

const MAX_REMEMBERED = 10_000
const MAX_REMEMBERED_ORGANIZATIONS = 200

/** The federated accounts of an organization by id. */
export type FederatedAccounts = ReadonlyMap<string, FederatedAccount>

/** API accounts by issuer and client id, and federated ones by organization, cached until the change log reports that one has changed. Unknown clients are not cached. */
export class KnownAccounts {
  readonly #store: Store
  readonly #clock: Clock
  readonly #remembered = createLruCache<string, KnownAccount>(MAX_REMEMBERED)
  readonly #federated = createLruCache<string, FederatedAccounts>(MAX_REMEMBERED_ORGANIZATIONS)
  /** Those that are being read, for all requests that need them. */
  readonly #loading = new Map<string, Promise<FederatedAccounts>>()
  #generation = 0

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
    store.onChange((changes) => {
      if (changes !== 'everything' && !changes.some(concernsAccounts)) return
      this.#generation++
      this.#remembered.clear()
      this.#loading.clear()
      this.#forgetFederated(changes)
    })
  }

  /** A change of one organization does not make the accounts of the others be read again. */
  #forgetFederated(changes: readonly Change[] | 'everything'): void {
    // The organization of a new account is not known here.
    if (
      changes === 'everything' ||
      changes.some(({ entity, action }) => entity === 'apiAccounts' && action === 'created')
    ) {
      this.#federated.clear()
      return
    }
    for (const { id: changedId } of changes.filter(concernsAccounts)) {
      for (const [id, accounts] of this.#federated) {
        if (id === changedId || accounts.has(changedId)) this.#federated.delete(id)
      }
    }
  }

  /** Returns the current account of a client, whose id may be of an unverified token. Client ids are unique only per issuer. */
  async find(issuer: string, clientId: string): Promise<KnownAccount | undefined> {
    // No account has such an id, and PostgreSQL refuses some of them as text.
    if (claimTextError(clientId, MAX_IDENTITY_CLAIM_LENGTH) !== undefined) return undefined
    // An issuer contains no line feed, so the key is unambiguous.
    const key = `${issuer}\n${clientId}`
    const account = this.#remembered.get(key) ?? (await this.#load({ issuer, clientId }, key))
    return account?.retiresAt != null && this.#clock.now() >= account.retiresAt ? undefined : account
  }

  /** The current federated accounts of an organization. The same object until an account or organization has changed. */
  async federatedOf(organizationId: string): Promise<FederatedAccounts> {
    const known = this.#federated.get(organizationId)
    if (known) return known
    const underWay = this.#loading.get(organizationId)
    if (underWay !== undefined) return underWay
    const loading = this.#loadFederated(organizationId)
    this.#loading.set(organizationId, loading)
    const forget = (): void => {
      if (this.#loading.get(organizationId) === loading) this.#loading.delete(organizationId)
    }
    loading.then(forget, forget)
    return loading
  }

  async #loadFederated(organizationId: string): Promise<FederatedAccounts> {
    const before = this.#generation
    const accounts = await listFederatedAccounts(this.#store.db, organizationId)
    const byId = new Map(accounts.map((account) => [account.id, account]))
    if (before === this.#generation) this.#federated.set(organizationId, byId)
    return byId
  }

  async #load(client: ClientKey, key: string): Promise<KnownAccount | undefined> {
    const before = this.#generation
    const account = await findAccountOfClient(this.#store.db, client)
    // Not cached when it changed while it was read: the row may be outdated.
    if (account && before === this.#generation) this.#remembered.set(key, account)
    return account
  }
}

function concernsAccounts({ entity, action }: Change): boolean {
  return !isReport(action) && (entity === 'apiAccounts' || entity === 'organizations')
}
