import type { PermissionHolder } from '@countersign/core'
import { type Kysely, sql } from 'kysely'
import { readJsonColumn } from '../json-column.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'

/** As in the index `identities_rights`, or the index is not used. */
const HOLDS_RIGHTS = sql<boolean>`(is_admin or permissions <> '[]')`

const selectRights = (db: Kysely<Database>) =>
  db.selectFrom('identities').where(HOLDS_RIGHTS).select(['is_admin', 'permissions']).distinct()

/** The statement behind `loadRightsUnderPolicy`. */
export function buildRightsUnderPolicy(db: Kysely<Database>, policyId: string) {
  return selectRights(db).where('auth_policy_id', '=', policyId)
}

/** The statement behind `loadRightsSuppliedBy`. Begins with the few identities that hold rights: a signer can supply attributes to very many. */
export function buildRightsSuppliedBy(db: Kysely<Database>, signerId: string) {
  return selectRights(db).where(({ exists, selectFrom }) =>
    exists(
      selectFrom('identity_attributes')
        .select('attribute')
        .whereRef('identity_id', '=', 'identities.id')
        .where('signer_id', '=', signerId),
    ),
  )
}

const rightsUnderPolicy = prepared(1, buildRightsUnderPolicy)
const rightsSuppliedBy = prepared(1, buildRightsSuppliedBy)

/** The rights that identities with this policy hold, each combination once. Identities without rights are left out. */
export async function loadRightsUnderPolicy(db: Kysely<Database>, policyId: string): Promise<PermissionHolder[]> {
  return (await rightsUnderPolicy(db, policyId)).map(rightsFromRow)
}

/** The rights that identities with attributes from this signer hold, in the same way. */
export async function loadRightsSuppliedBy(db: Kysely<Database>, signerId: string): Promise<PermissionHolder[]> {
  return (await rightsSuppliedBy(db, signerId)).map(rightsFromRow)
}

function rightsFromRow(row: { readonly is_admin: unknown; readonly permissions: string }): PermissionHolder {
  return { isAdmin: Boolean(row.is_admin), permissions: readJsonColumn(row.permissions) }
}
