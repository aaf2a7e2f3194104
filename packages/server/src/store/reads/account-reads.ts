import type { Kysely } from 'kysely'
import type { ApiAccountRow } from '../hosted-schema.ts'
import { notFound } from '../not-found.ts'
import { prepared } from '../prepared.ts'
import type { StoredProvider } from '../provider-row.ts'
import type { Database } from '../schema.ts'
import type { Store } from '../store.ts'
import { countOf } from './count-of.ts'
import { withinDeadline } from './list-reader.ts'
import { getProvider, listProviders } from './provider-reads.ts'

type Db = Kysely<Database>

/** An API account of the organization. */
export async function getAccountRow(db: Db, organizationId: string, id: string): Promise<ApiAccountRow> {
  const row = await db
    .selectFrom('api_accounts')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  if (!row) throw notFound('apiAccount', id)
  return row
}

/** An account with its provider and its current client there. */
export interface AccountWithClient {
  readonly account: ApiAccountRow
  readonly provider: StoredProvider
  readonly clientId: string | null
  /** Until when new credentials of a planned rotation wait for being picked up; null when there are none. */
  readonly pickUpUntil: number | null
  readonly lastUse: LastUse
}

/** The last use of a token of an account; null when there was none. */
export interface LastUse {
  readonly at: number | null
  readonly from: string | null
}

/** The accounts of an organization, or a part of them, sorted by name. Organizations take turns. */
export async function listAccounts(
  store: Pick<Store, 'db' | 'dialect' | 'readLong'>,
  organizationId: string,
  part?: { readonly limit: number; readonly offset: number },
): Promise<AccountWithClient[]> {
  const all = accountsWithClients(store.db, organizationId)
    .where(withinDeadline(store))
    .orderBy('account.name')
    .orderBy('account.id')
  const wanted = part ? all.limit(part.limit).offset(part.offset) : all
  const rows = await store.readLong(organizationId, wanted.compile())
  const providers = new Map((await listProviders(store.db, organizationId)).map((provider) => [provider.id, provider]))
  return rows.flatMap(
    ({ client_id: clientId, pick_up_until: pickUpUntil, used_at: at, used_from: from, ...account }) => {
      const provider = providers.get(account.identity_provider_id)
      return provider ? [{ account, provider, clientId, pickUpUntil, lastUse: { at, from } }] : []
    },
  )
}

const accountWithClient = prepared(2, (db, organizationId: string, id: string) =>
  accountsWithClients(db, organizationId).where('account.id', '=', id),
)

export async function findAccount(db: Db, organizationId: string, id: string): Promise<AccountWithClient | undefined> {
  const [row] = await accountWithClient(db, organizationId, id)
  if (!row) return undefined
  const { client_id: clientId, pick_up_until: pickUpUntil, used_at: at, used_from: from, ...account } = row
  const provider = await getProvider(db, organizationId, account.identity_provider_id)
  return { account, provider, clientId, pickUpUntil, lastUse: { at, from } }
}

function accountsWithClients(db: Db, organizationId: string) {
  return db
    .selectFrom('api_accounts as account')
    .leftJoin('api_account_clients as client', (on) =>
      on.onRef('client.account_id', '=', 'account.id').on('client.retires_at', 'is', null),
    )
    .leftJoin('account_pickups as pickup', 'pickup.account_id', 'account.id')
    .leftJoin('api_account_uses as use', 'use.account_id', 'account.id')
    .selectAll('account')
    .select(['client.client_id', 'pickup.expires_at as pick_up_until', 'use.used_at', 'use.used_from'])
    .where('account.organization_id', '=', organizationId)
}

export async function getAccount(db: Db, organizationId: string, id: string): Promise<AccountWithClient> {
  const found = await findAccount(db, organizationId, id)
  if (!found) throw notFound('apiAccount', id)
  return found
}

export async function hasAccounts(db: Db, organizationId: string): Promise<boolean> {
  const accounts = db.selectFrom('api_accounts').select('id').where('organization_id', '=', organizationId)
  return (await accounts.executeTakeFirst()) !== undefined
}

/** The number of accounts of an organization, counted up to `most`. */
export async function countAccounts(db: Db, organizationId: string, most: number): Promise<number> {
  const accounts = db.selectFrom('api_accounts').select('name').where('organization_id', '=', organizationId)
  return countOf(db, accounts.limit(most).as('counted'))
}

export async function isAccountName(db: Db, organizationId: string, name: string): Promise<boolean> {
  const accounts = db.selectFrom('api_accounts').select('id').where('organization_id', '=', organizationId)
  return (await accounts.where('name', '=', name).executeTakeFirst()) !== undefined
}

/** One of the accounts that log in through an identity provider; undefined when there is none. */
export async function findAccountOfProvider(
  db: Db,
  providerId: string,
): Promise<Pick<ApiAccountRow, 'id' | 'name'> | undefined> {
  const accounts = db.selectFrom('api_accounts').select(['id', 'name']).where('identity_provider_id', '=', providerId)
  return accounts.limit(1).executeTakeFirst()
}
