import type { Kysely } from 'kysely'
import type { OrganizationRow } from '../hosted-schema.ts'
import type { Database } from '../schema.ts'

type Db = Kysely<Database>

/** What an organization has. */
export interface OrganizationUsage {
  readonly networks: number
  readonly accounts: number
  readonly providers: number
  /** The clients of all its accounts, with those that rotations have replaced and that are not removed yet. */
  readonly clients: number
  /** When one of its accounts last used the API; to the minute; null when none of them has. */
  readonly lastUsedAt: number | null
}

/** The requested organizations; all by default. */
export interface WantedOrganizations {
  readonly active: boolean | undefined
  readonly page: { readonly limit: number; readonly offset: number } | undefined
}

/** Organizations, sorted by name. */
export async function listOrganizations(db: Db, { active, page }: WantedOrganizations): Promise<OrganizationRow[]> {
  return db
    .selectFrom('organizations')
    .selectAll()
    .$if(active !== undefined, (query) => query.where('active', '=', active ?? true))
    .orderBy('name')
    .orderBy('id')
    .$if(page !== undefined, (query) => query.limit(page?.limit ?? 0).offset(page?.offset ?? 0))
    .execute()
}

/** The usage of organizations, by id. Reads an index entry for each thing that is counted. */
export async function loadUsage(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, OrganizationUsage>> {
  if (ids.length === 0) return new Map()
  const countBy = (table: 'networks' | 'api_accounts' | 'identity_providers') =>
    db
      .selectFrom(table)
      .select(({ fn }) => ['organization_id as id', fn.countAll<number>().as('total')])
      .where('organization_id', 'in', ids)
      .groupBy('organization_id')
  const clients = db
    .selectFrom('api_account_clients as client')
    .innerJoin('api_accounts as account', 'account.id', 'client.account_id')
    .select(({ fn }) => ['account.organization_id as id', fn.countAll<number>().as('total')])
    .where('account.organization_id', 'in', ids)
    .groupBy('account.organization_id')
  const uses = db
    .selectFrom('api_account_uses as use')
    .innerJoin('api_accounts as account', 'account.id', 'use.account_id')
    .select(({ fn }) => ['account.organization_id as id', fn.max<number>('use.used_at').as('total')])
    .where('account.organization_id', 'in', ids)
    .where('use.used_at', 'is not', null)
    .groupBy('account.organization_id')
  const [networks, accounts, providers, ofAccounts, lastUses] = await Promise.all([
    countBy('networks').where('deleted_at', 'is', null).execute(),
    countBy('api_accounts').execute(),
    countBy('identity_providers').execute(),
    clients.execute(),
    uses.execute(),
  ])
  const totals = [networks, accounts, providers, ofAccounts].map(
    (rows) => new Map(rows.map(({ id, total }) => [id, Number(total)])),
  )
  const usedAt = new Map(lastUses.map(({ id, total }) => [id, Number(total)]))
  return new Map(
    ids.map((id) => {
      const [networkCount = 0, accountCount = 0, providerCount = 0, clientCount = 0] = totals.map(
        (total) => total.get(id) ?? 0,
      )
      const counts = { networks: networkCount, accounts: accountCount, providers: providerCount, clients: clientCount }
      return [id, { ...counts, lastUsedAt: usedAt.get(id) ?? null }] as const
    }),
  )
}
