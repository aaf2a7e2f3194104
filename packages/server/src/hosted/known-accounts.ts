import type { AccountRole } from '@countersign/contract'
import { BoundedCache } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import { prepared } from '../store/prepared.ts'
import type { Store } from '../store/store.ts'

/** An account as far as letting it in goes. */
export interface KnownAccount {
  readonly id: string
  readonly organizationId: string
  readonly identityProviderId: string
  readonly role: AccountRole
  /** Neither the account nor its organization is disabled. */
  readonly isActive: boolean
  readonly retiresAt: number | null
  /** Since when the client has stood for it. */
  readonly registeredAt: number
}

export interface KnownAccounts {
  /** The account that a client of an issuer stands for now; the same client id at another issuer is somebody else's. */
  find(issuer: string, clientId: string): Promise<KnownAccount | undefined>
}

const MAX_REMEMBERED = 10_000

const accountOfClient = prepared(2, (db, issuer: string, clientId: string) =>
  db
    .selectFrom('api_account_clients as client')
    .innerJoin('api_accounts as account', 'account.id', 'client.account_id')
    .innerJoin('organizations as organization', 'organization.id', 'account.organization_id')
    .select(['account.id', 'account.organization_id', 'account.identity_provider_id', 'account.role'])
    .select(['account.active', 'organization.active as organization_active'])
    .select(['client.retires_at', 'client.created_at'])
    .where('client.issuer', '=', issuer)
    .where('client.client_id', '=', clientId),
)

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

  const load = async (issuer: string, clientId: string, key: string): Promise<KnownAccount | undefined> => {
    const before = generation
    const [row] = await accountOfClient(store.db, issuer, clientId)
    if (!row) return undefined
    const account = {
      id: row.id,
      organizationId: row.organization_id,
      identityProviderId: row.identity_provider_id,
      role: row.role as AccountRole,
      isActive: Boolean(row.active) && Boolean(row.organization_active),
      retiresAt: row.retires_at,
      registeredAt: row.created_at,
    }
    if (before === generation) remembered.set(key, account)
    return account
  }

  return {
    find: async (issuer, clientId) => {
      // No issuer holds a line feed, so that no pair is spelled like another.
      const key = `${issuer}\n${clientId}`
      const account = remembered.get(key) ?? (await load(issuer, clientId, key))
      return account?.retiresAt != null && clock.now() >= account.retiresAt ? undefined : account
    },
  }
}
