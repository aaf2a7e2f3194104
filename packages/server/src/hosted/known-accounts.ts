import { claimTextError, createLruCache, MAX_IDENTITY_CLAIM_LENGTH } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { Change } from '../store/change.ts'
import { type ClientKey, findAccountOfClient, type KnownAccount } from '../store/reads/account-client-reads.ts'
import type { Store } from '../store/store.ts'

const MAX_REMEMBERED = 10_000

/** API accounts by issuer and client id, cached until the change log reports that one has changed. Unknown clients are not cached. */
export class KnownAccounts {
  readonly #store: Store
  readonly #clock: Clock
  readonly #remembered = createLruCache<string, KnownAccount>(MAX_REMEMBERED)
  #generation = 0

  constructor(store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
    store.onChange((changes) => {
      if (changes !== 'everything' && !changes.some(concernsAccounts)) return
      this.#generation++
      this.#remembered.clear()
    })
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

  async #load(client: ClientKey, key: string): Promise<KnownAccount | undefined> {
    const before = this.#generation
    const account = await findAccountOfClient(this.#store.db, client)
    // Not cached when it changed while it was read: the row may be outdated.
    if (account && before === this.#generation) this.#remembered.set(key, account)
    return account
  }
}

function concernsAccounts({ entity }: Change): boolean {
  return entity === 'apiAccounts' || entity === 'organizations'
}
