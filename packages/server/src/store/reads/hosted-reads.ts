import { isAccountIdentity } from '@countersign/core'
import type { Kysely } from 'kysely'
import type {
  ApiAccountClientRow,
  ApiAccountRow,
  NetworkGroupRow,
  NetworkRow,
  OrganizationRow,
} from '../hosted-schema.ts'
import { providerFromRow, type StoredProvider } from '../provider-row.ts'
import type { Database } from '../schema.ts'

/** Everything is read within an organization: what belongs to another one is not there. */
type Db = Kysely<Database>

export async function findOrganization(db: Db, id: string): Promise<OrganizationRow | undefined> {
  return db.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function listNetworkGroups(db: Db, organizationId: string): Promise<NetworkGroupRow[]> {
  return db.selectFrom('network_groups').selectAll().where('organization_id', '=', organizationId).execute()
}

export async function listNetworks(db: Db, organizationId: string, deleted: boolean): Promise<NetworkRow[]> {
  return db
    .selectFrom('networks')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('deleted_at', deleted ? 'is not' : 'is', null)
    .execute()
}

/** A network, one that was deleted too. */
export async function findNetwork(db: Db, organizationId: string, id: string): Promise<NetworkRow | undefined> {
  return db
    .selectFrom('networks')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
}

export async function listProviders(db: Db, organizationId: string): Promise<StoredProvider[]> {
  const rows = await db
    .selectFrom('identity_providers')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('name')
    .execute()
  return rows.map(providerFromRow)
}

export async function findProvider(db: Db, organizationId: string, id: string): Promise<StoredProvider | undefined> {
  const row = await db
    .selectFrom('identity_providers')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
  return row && providerFromRow(row)
}

export async function findAccountRow(db: Db, organizationId: string, id: string): Promise<ApiAccountRow | undefined> {
  return db
    .selectFrom('api_accounts')
    .selectAll()
    .where('id', '=', id)
    .where('organization_id', '=', organizationId)
    .executeTakeFirst()
}

/** An account with its provider and the clients that stand for it, the newest first. */
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

export interface AdministratorRow {
  readonly id: string
  readonly name: string
  readonly disabledAt: number | null
  readonly disabledUntil: number | null
  readonly createdAt: number
  readonly updatedAt: number
}

/** The people who administer this controller and act for the organization that owns it. API accounts are listed as what they are. */
export async function listAdministrators(db: Db): Promise<AdministratorRow[]> {
  const rows = await db
    .selectFrom('identities')
    .select(['id', 'name', 'disabled_at as disabledAt', 'disabled_until as disabledUntil'])
    .select(['created_at as createdAt', 'updated_at as updatedAt'])
    .where('is_admin', '=', true)
    .orderBy('name')
    .execute()
  return rows.filter(({ id }) => !isAccountIdentity(id))
}
