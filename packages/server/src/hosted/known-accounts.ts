import { BoundedCache } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import { type ClientKey, findAccountOfClient, type KnownAccount } from '../store/reads/account-client-reads.ts'
import type { Store } from '../store/store.ts'

export interface KnownAccounts {
  /** The account that a client of an issuer stands for now; the same client id at another issuer is somebody else's. */
  find(issuer: string, clientId: string): Promise<KnownAccount | undefined>
}

const MAX_REMEMBERED = 10_000

/** Accounts by issuer and client id, remembered until the change log says that one has changed. Strangers are not remembered. */
export function createKnownAccounts(store: Store, clock: Clock): KnownAccounts {
  const remembered = new BoundedCache<string, KnownAccount>(MAX_REMEMBERED)
  let generation = 0

  store.onChange((changes) => {
    const isRelevant =
      changes === 'everything' || changes.some(({ entity }) => entity === 'apiAccounts' || entity === 'organizations')
    if (!isRelevant) return
    generation++
    remembered.clear()
  })

  const load = async (client: ClientKey, key: string): Promise<KnownAccount | undefined> => {
    const before = generation
    const account = await findAccountOfClient(store.db, client)
    if (account && before === generation) remembered.set(key, account)
    return account
  }

  return {
    find: async (issuer, clientId) => {
      // No issuer holds a line feed, so that no pair is spelled like another.
      const key = `${issuer}\n${clientId}`
      const account = remembered.get(key) ?? (await load({ issuer, clientId }, key))
      return account?.retiresAt != null && clock.now() >= account.retiresAt ? undefined : account
    },
  }
}
