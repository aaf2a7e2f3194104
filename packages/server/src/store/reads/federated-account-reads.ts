import { conditionKeys, exactFirst, parseConditions, type RequiredClaim } from '@countersign/core'
import { type Kysely, sql } from 'kysely'
import { mapInTurns } from '../../platform/map-in-turns.ts'
import { readJsonColumn } from '../json-column.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { type AccountAccess, accountAccess } from './account-client-reads.ts'

/** An account whose tokens meet conditions. */
export interface FederatedAccount extends AccountAccess {
  readonly name: string
  /** Exact values first. */
  readonly conditions: readonly RequiredClaim[]
  readonly conditionKeys: ReadonlySet<string>
  readonly revision: number
}

const federatedAccounts = prepared(1, (db, organizationId: string) =>
  db
    .selectFrom('api_accounts as account')
    .innerJoin('organizations as organization', 'organization.id', 'account.organization_id')
    .select(['account.id', 'account.organization_id', 'account.identity_provider_id', 'account.role', 'account.name'])
    .select(['account.active', 'organization.active as organization_active', 'organization.suspension_reason'])
    .select(['account.expires_at', 'account.has_expired', 'account.conditions', 'account.revision'])
    .where('account.organization_id', '=', organizationId)
    .where('account.kind', '=', 'federated')
    .orderBy('account.name'),
)

/** The federated accounts of an organization, sorted by name. There can be a thousand. */
export async function listFederatedAccounts(db: Kysely<Database>, organizationId: string): Promise<FederatedAccount[]> {
  return mapInTurns(await federatedAccounts(db, organizationId), (row) => {
    const conditions = exactFirst(parseConditions(readJsonColumn(row.conditions ?? '{}')))
    const { name, revision } = row
    return { ...accountAccess(row), name, conditions, conditionKeys: conditionKeys(conditions), revision }
  })
}

const PATTERN_LENGTH = {
  sqlite: sql<number>`(select sum(length(condition.value ->> '$.glob')) from json_each(conditions) as condition where condition.type = 'object')`,
  postgres: sql<number>`(select sum(length(condition.value ->> 'glob')) from json_each(cast(conditions as json)) as condition)`,
}

/** The length of all patterns of the federated accounts of an organization, but of one account. */
export async function sumPatternLengths(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  organizationId: string,
  exceptId: string,
): Promise<number> {
  const { total } = await db
    .selectFrom('api_accounts')
    .select(({ fn }) => fn.sum<number>(PATTERN_LENGTH[dialect]).as('total'))
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'federated')
    .where('id', '!=', exceptId)
    .executeTakeFirstOrThrow()
  return Number(total)
}
