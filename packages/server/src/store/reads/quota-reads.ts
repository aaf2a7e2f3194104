import { effectiveQuotas, type Quotas } from '@countersign/core'
import type { Kysely } from 'kysely'
import { organizationQuotas } from '../hosted-rows.ts'
import type { Database } from '../schema.ts'
import { getOrganization } from './organization-reads.ts'

type Db = Kysely<Database>

/** What an organization may have of each kind. */
export async function loadQuotas(db: Db, organizationId: string): Promise<Quotas> {
  return effectiveQuotas(organizationQuotas(await getOrganization(db, organizationId)))
}

/** The quotas of the organization of an API account. */
export async function loadQuotasOfAccount(db: Db, accountId: string): Promise<Quotas> {
  const row = await db
    .selectFrom('organizations')
    .innerJoin('api_accounts as account', 'account.organization_id', 'organizations.id')
    .selectAll('organizations')
    .where('account.id', '=', accountId)
    .executeTakeFirstOrThrow()
  return effectiveQuotas(organizationQuotas(row))
}
