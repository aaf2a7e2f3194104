import { AppError, echoedValue } from '@countersign/core'
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from '../schema.ts'

/** The error names at most this many referring rows. */
const MAX_NAMED_REFERENCES = 20

type Db = Kysely<Database>

/** Fails with CAN_NOT_DELETE_REFERENCED_ENTITY, naming the users, while identities or signers use the policy. */
export async function refuseUsedAuthPolicy(db: Db, id: string): Promise<void> {
  const identities = db.selectFrom('identities').select('id').where('auth_policy_id', '=', id)
  await refuseReferenced(identities, { entity: 'authPolicies', field: 'authPolicyId', by: 'identities' })
  const signers = db.selectFrom('ext_jwt_signers').select('id').where('enroll_auth_policy_id', '=', id)
  await refuseReferenced(signers, { entity: 'authPolicies', field: 'enrollAuthPolicyId', by: 'externalJwtSigners' })
}

/** Fails with CAN_NOT_DELETE_REFERENCED_ENTITY, naming the users, while policies use the signer. */
export async function refuseUsedSigner(db: Db, id: string): Promise<void> {
  const by = { entity: 'externalJwtSigners', by: 'authPolicies' }
  const primary = db.selectFrom('auth_policy_signers').select('auth_policy_id as id').where('signer_id', '=', id)
  await refuseReferenced(primary, { ...by, field: 'primary.extJwt.allowedSigners' })
  const secondary = db.selectFrom('auth_policies').select('id').where('require_ext_jwt_signer_id', '=', id)
  await refuseReferenced(secondary, { ...by, field: 'secondary.requireExtJwtSigner' })
}

/** Whether a policy requires a token of the signer as second factor. */
export async function isSecondFactor(db: Db, signerId: string): Promise<boolean> {
  const policies = db.selectFrom('auth_policies').select('id').where('require_ext_jwt_signer_id', '=', signerId)
  return (await policies.limit(1).executeTakeFirst()) !== undefined
}

async function refuseReferenced<Table extends keyof Database>(
  users: SelectQueryBuilder<Database, Table, { id: string }>,
  { field, entity, by }: { readonly field: string; readonly entity: string; readonly by: string },
): Promise<void> {
  const rows = await users.orderBy(sql`id`).limit(MAX_NAMED_REFERENCES).execute()
  if (rows.length === 0) return
  const ids = `[${rows.map(({ id }) => id).join(' ')}]`
  const reason = `entity type ${entity} referenced by ${by}: ${ids}`
  throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', { field, reason, value: echoedValue(ids) })
}
