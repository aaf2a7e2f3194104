import type { Kysely } from 'kysely'
import type { ApiAccountClientRow, ApiAccountRow } from '../hosted-schema.ts'
import { notFound } from '../not-found.ts'
import type { StoredProvider } from '../provider-row.ts'
import type { Database } from '../schema.ts'
import { countOf } from './count-of.ts'
import { listProviders } from './provider-reads.ts'

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

/** An account with its provider and its clients there, the newest first. */
export interface AccountWithClients {
  readonly account: ApiAccountRow
  readonly provider: StoredProvider
  readonly clients: readonly ApiAccountClientRow[]
}

export async function listAccounts(db: Db, organizationId: string, id?: string): Promise<AccountWithClients[]> {
  const all = db.selectFrom('api_accounts').selectAll().where('organization_id', '=', organizationId)
  const accounts = await (id === undefined ? all.orderBy('name') : all.where('id', '=', id)).execute()
  if (accounts.length === 0) return []
  const providers = new Map((await listProviders(db, organizationId)).map((provider) => [provider.id, provider]))
  const ids = accounts.map((account) => account.id)
  const clients = await db
    .selectFrom('api_account_clients')
    .selectAll()
    .where('account_id', 'in', ids)
    .orderBy('created_at', 'desc')
    .execute()
  const clientsOf = Map.groupBy(clients, (client) => client.account_id)
  return accounts.flatMap((account) => {
    const provider = providers.get(account.identity_provider_id)
    return provider ? [{ account, provider, clients: clientsOf.get(account.id) ?? [] }] : []
  })
}

export async function findAccount(db: Db, organizationId: string, id: string): Promise<AccountWithClients | undefined> {
  const [found] = await listAccounts(db, organizationId, id)
  return found
}

export async function getAccount(db: Db, organizationId: string, id: string): Promise<AccountWithClients> {
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

/** The accounts that log in through an identity provider. */
export async function listAccountsOfProvider(
  db: Db,
  providerId: string,
): Promise<Pick<ApiAccountRow, 'id' | 'name'>[]> {
  return db.selectFrom('api_accounts').select(['id', 'name']).where('identity_provider_id', '=', providerId).execute()
}
