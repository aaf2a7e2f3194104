import { accountIdOf } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { Actor } from '../actor.ts'
import { isDisabled } from '../identity-row.ts'
import { readJsonColumn } from '../json-column.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'

const rightsOf = prepared(1, (db, id: string) =>
  db
    .selectFrom('identities')
    .select(['is_admin', 'permissions', 'disabled_at as disabledAt', 'disabled_until as disabledUntil'])
    .where('id', '=', id),
)

/** The identity with its current rights; undefined when it is deleted or disabled. */
export async function findActorIdentity(db: Kysely<Database>, id: string, now: number): Promise<Actor | undefined> {
  const [row] = await rightsOf(db, id)
  if (!row || isDisabled(row, now)) return undefined
  return { id, isAdmin: Boolean(row.is_admin), permissions: readJsonColumn(row.permissions) }
}

const activeAccountById = prepared(1, (db, id: string) =>
  db
    .selectFrom('api_accounts as account')
    .innerJoin('organizations as organization', 'organization.id', 'account.organization_id')
    .select('account.role')
    .where('account.id', '=', id)
    .where('account.active', '=', true)
    .where('organization.active', '=', true),
)

/** The API account of an account identity; undefined when it or its organization is deleted or inactive. */
export async function findActorAccount(db: Kysely<Database>, identityId: string): Promise<Actor | undefined> {
  const [row] = await activeAccountById(db, accountIdOf(identityId))
  return row && { id: identityId, isAdmin: row.role === 'admin', permissions: [] }
}

/** Whether an API account and its organization exist and are active. */
export async function isAccountActive(db: Kysely<Database>, accountId: string): Promise<boolean> {
  return (await activeAccountById(db, accountId)).length > 0
}
