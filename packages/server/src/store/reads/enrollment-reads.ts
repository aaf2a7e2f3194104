import type { EnrollmentMethod } from '@countersign/contract'
import { AppError, accountIdOf, hasAllPermissionsOf, hasRights, isAccountIdentity } from '@countersign/core'
import type { Kysely } from 'kysely'
import { SYSTEM_ACTOR } from '../actor.ts'
import { hasAccess, type StoredIdentity } from '../identity-row.ts'
import { readJsonColumn } from '../json-column.ts'
import { preparedForIds } from '../prepared.ts'
import type { Database, EnrollmentRow } from '../schema.ts'
import { findAccountEnd } from './active-account-reads.ts'
import { findIdentity } from './identity-reads.ts'

export async function findEnrollment(db: Kysely<Database>, id: string): Promise<EnrollmentRow | undefined> {
  return db.selectFrom('enrollments').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function hasEnrollment(
  db: Kysely<Database>,
  identityId: string,
  method: EnrollmentMethod,
): Promise<boolean> {
  const row = await db
    .selectFrom('enrollments')
    .select('id')
    .where('identity_id', '=', identityId)
    .where('method', '=', method)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether an enrollment of another identity has this user name. */
export async function isEnrollingUsername(
  db: Kysely<Database>,
  username: string,
  { exceptFor: identityId }: { readonly exceptFor: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('enrollments')
    .select('id')
    .where('username', '=', username)
    .where('identity_id', '!=', identityId)
    .executeTakeFirst()
  return row !== undefined
}

const enrollmentsOfSome = preparedForIds(0, (db, ids) =>
  db.selectFrom('enrollments').selectAll().where('identity_id', 'in', ids),
)

/** The enrollments of some identities, by identity. */
export async function loadEnrollmentsOf(
  db: Kysely<Database>,
  identityIds: readonly string[],
): Promise<ReadonlyMap<string, EnrollmentRow[]>> {
  const rows = await enrollmentsOfSome(db, identityIds)
  return Map.groupBy(rows, (row) => row.identity_id)
}

/** The identity of an enrollment: the fields that are shown, and those that decide which callers see the enrollment. */
export type EnrollmentOwner = Pick<StoredIdentity, 'id' | 'name' | 'authPolicyId' | 'isAdmin' | 'permissions'>

export async function loadEnrollmentOwners(
  db: Kysely<Database>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EnrollmentOwner>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('identities')
    .select(['id', 'name', 'auth_policy_id', 'is_admin', 'permissions'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  const owners = rows.map(
    ({ id, name, auth_policy_id: authPolicyId, is_admin: isAdmin, permissions }): EnrollmentOwner => {
      return { id, name, authPolicyId, isAdmin: Boolean(isAdmin), permissions: readJsonColumn(permissions) }
    },
  )
  return new Map(owners.map((owner) => [owner.id, owner]))
}

/** An enrollment whose token can be redeemed now, with its identity. */
export interface RedeemableEnrollment {
  readonly row: EnrollmentRow
  readonly identity: StoredIdentity
}

/** The method of the enrollment of a token, whether or not it can be redeemed. Fails with INVALID_ENROLLMENT_TOKEN when there is none. */
export async function getEnrollmentMethod(db: Kysely<Database>, tokenDigest: string): Promise<string> {
  const row = await findByToken(db, tokenDigest)
  if (!row) throw new AppError('INVALID_ENROLLMENT_TOKEN')
  return row.method
}

async function findByToken(db: Kysely<Database>, tokenDigest: string): Promise<EnrollmentRow | undefined> {
  return db.selectFrom('enrollments').selectAll().where('token_digest', '=', tokenDigest).executeTakeFirst()
}

/**
 * The enrollment of a token. Fails with INVALID_ENROLLMENT_TOKEN when the token is unknown, used, of a disabled identity, or of a creator without the
 * rights of its identity, which look the same to the client, with INVALID_ENROLL_METHOD when it is of another method, and with ENROLLMENT_EXPIRED when it
 * has expired.
 */
export async function getRedeemable(
  db: Kysely<Database>,
  { tokenDigest, method, now }: { tokenDigest: string; method: EnrollmentMethod; now: number },
): Promise<RedeemableEnrollment> {
  const row = await findByToken(db, tokenDigest)
  const identity = row && (await findIdentity(db, row.identity_id))
  if (!identity || !hasAccess(identity, now)) throw new AppError('INVALID_ENROLLMENT_TOKEN')
  if (!(await hasCreatorRightsOf(db, identity, row, now))) throw new AppError('INVALID_ENROLLMENT_TOKEN')
  if (row.method !== method) throw anotherMethod(method)
  if (row.expires_at <= now) throw new AppError('ENROLLMENT_EXPIRED')
  return { row, identity }
}

/**
 * Whether the creator of a token has access and every right of its identity now. A token for an identity without rights does not depend on its creator.
 */
async function hasCreatorRightsOf(
  db: Kysely<Database>,
  identity: StoredIdentity,
  { created_by: createdBy }: EnrollmentRow,
  now: number,
): Promise<boolean> {
  if (!hasRights(identity) || createdBy === null || createdBy === SYSTEM_ACTOR.id) return true
  const creator = await findIdentity(db, createdBy)
  if (!creator || !hasAccess(creator, now) || !hasAllPermissionsOf(creator, identity)) return false
  if (!isAccountIdentity(createdBy)) return true
  // The identity of an account stays enabled while the account is inactive.
  const accountEnd = await findAccountEnd(db, accountIdOf(createdBy))
  return accountEnd !== undefined && now < accountEnd
}

function anotherMethod(value: string): AppError {
  return new AppError('INVALID_ENROLL_METHOD', { field: 'method', reason: 'the token is of another method', value })
}
