import { claimTextError, createLruCache, MAX_IDENTITY_CLAIM_LENGTH } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import { type Change, isReport } from '../store/change.ts'
import { type ClientKey, findAccountOfClient, type KnownAccount } from '../store/reads/account-client-reads.ts'
import { type FederatedAccount, listFederatedAccounts } from '../store/reads/federated-account-reads.ts'
import type { Store } from '../store/store.ts'

const MAX_REMEMBERED = 10_000
const MAX_REMEMBERED_ORGANIZATIONS = 200

/** The federated accounts of an organization. */
export interface FederatedAccounts {
  /** Another number each time that they are read. */
  readonly reading: number
  readonly byId: ReadonlyMap<string, FederatedAccount>
}

/** One reading of the accounts of an organization. */
interface Reading {
  readonly accounts: Promise<FederatedAccounts>
  /** How many changes there were when it began; undefined while it waits for an earlier one to end. */
  before: number | undefined
}

/** API accounts by issuer and client id, and federated ones by organization, cached until the change log reports that one has changed. Unknown clients are not cached. */
export class KnownAccounts {
  readonly #store: Store
  readonly #clock: Clock
  readonly #remembered = createLruCache<string, KnownAccount>(MAX_REMEMBERED)
  readonly #federated = createLruCache<string, FederatedAccounts>(MAX_REMEMBERED_ORGANIZATIONS)
  /** The last reading of each organization that has not ended, for all requests that need it. */
  readonly #loading = new Map<string, Reading>()
  #generation = 0
  #readings = 0

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
    store.onChange((changes) => {
      if (changes !== 'everything' && !changes.some(concernsAccounts)) return
      this.#generation++
      this.#remembered.clear()
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
        if (id === changedId || accounts.byId.has(changedId)) this.#federated.delete(id)
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

  /** The current federated accounts of an organization. The same reading until an account or organization has changed. */
  async federatedOf(organizationId: string): Promise<FederatedAccounts> {
    const known = this.#federated.get(organizationId)
    if (known) return known
    const last = this.#loading.get(organizationId)
    const isCurrent = last !== undefined && (last.before ?? this.#generation) === this.#generation
    return isCurrent ? last.accounts : this.#readAfter(last, organizationId)
  }

  /** One reading at a time: an organization that changes its accounts again and again has a thousand to read each time. */
  #readAfter(last: Reading | undefined, organizationId: string): Promise<FederatedAccounts> {
    const read = () => {
      next.before = this.#generation
      return this.#loadFederated(organizationId, next.before)
    }
    const next: Reading = { before: undefined, accounts: Promise.allSettled([last?.accounts]).then(read) }
    this.#loading.set(organizationId, next)
    const forget = (): void => {
      if (this.#loading.get(organizationId) === next) this.#loading.delete(organizationId)
    }
    next.accounts.then(forget, forget)
    return next.accounts
  }

  async #loadFederated(organizationId: string, before: number): Promise<FederatedAccounts> {
    const read = await listFederatedAccounts(this.#store.db, organizationId)
    const accounts = { reading: ++this.#readings, byId: new Map(read.map((account) => [account.id, account])) }
    if (before === this.#generation) this.#federated.set(organizationId, accounts)
    return accounts
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
