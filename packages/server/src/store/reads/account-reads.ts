import type { Kysely } from 'kysely'
import type { ApiAccountRow } from '../hosted-schema.ts'
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

/** An account with its provider and its current client there. */
export interface AccountWithClient {
  readonly account: ApiAccountRow
  readonly provider: StoredProvider
  readonly clientId: string | null
}

export async function listAccounts(db: Db, organizationId: string, id?: string): Promise<AccountWithClient[]> {
  const all = db.selectFrom('api_accounts').selectAll().where('organization_id', '=', organizationId)
  const accounts = await (id === undefined ? all.orderBy('name') : all.where('id', '=', id)).execute()
  if (accounts.length === 0) return []
  const providers = new Map((await listProviders(db, organizationId)).map((provider) => [provider.id, provider]))
  const ids = accounts.map((account) => account.id)
  const clients = await db
    .selectFrom('api_account_clients')
    .select(['account_id', 'client_id'])
    .where('account_id', 'in', ids)
    .where('retires_at', 'is', null)
    .execute()
  const clientIds = new Map(clients.map((client) => [client.account_id, client.client_id]))
  return accounts.flatMap((account) => {
    const provider = providers.get(account.identity_provider_id)
    return provider ? [{ account, provider, clientId: clientIds.get(account.id) ?? null }] : []
  })
}

export async function findAccount(db: Db, organizationId: string, id: string): Promise<AccountWithClient | undefined> {
  const [found] = await listAccounts(db, organizationId, id)
  return found
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
