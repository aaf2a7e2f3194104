import type { AuthPolicyPatch, AuthPolicyWrite } from '@countersign/contract'
import {
  AppError,
  type AuthPolicySettings,
  authPolicyFromBody,
  DEFAULT_AUTH_POLICY_ID,
  patchedAuthPolicy,
  validateAuthPolicy,
} from '@countersign/core'
import { authPolicyColumns } from '../auth-policy-row.ts'
import { notFound } from '../not-found.ts'
import { findAuthPolicy } from '../reads/auth-policy-reads.ts'
import { refusingDuplicates } from '../unique-violation.ts'
import type { WriteContext, WriteOperation } from '../write-operation.ts'

const ENTITY = 'authPolicies'

const createAuthPolicy: WriteOperation<{ id: string; body: AuthPolicyWrite }, void> = async (context, { id, body }) => {
  await insertAuthPolicy(context, id, authPolicyFromBody(body))
}

export async function insertAuthPolicy(context: WriteContext, id: string, policy: AuthPolicySettings): Promise<void> {
  const { db, now } = context
  await checkAuthPolicy(context, policy)
  await refusingDuplicates({ name: policy.name }, () =>
    db
      .insertInto('auth_policies')
      .values({ id, ...authPolicyColumns(policy), created_at: now, updated_at: now })
      .execute(),
  )
  await writeAllowedSigners(context, id, policy)
  context.changed({ entity: ENTITY, id, action: 'created' })
}

const replaceAuthPolicy: WriteOperation<{ id: string; body: AuthPolicyWrite }, void> = async (context, { id, body }) => {
  await getAuthPolicy(context, id)
  await updateAuthPolicy(context, id, authPolicyFromBody(body))
}

const patchAuthPolicy: WriteOperation<{ id: string; body: AuthPolicyPatch }, void> = async (context, { id, body }) => {
  const current = await getAuthPolicy(context, id)
  if (Object.keys(body).length === 0) return
  await updateAuthPolicy(context, id, patchedAuthPolicy(current, body))
}

const MAX_NAMED_REFERENCES = 20

const deleteAuthPolicy: WriteOperation<{ id: string }, void> = async (context, { id }) => {
  const { db } = context
  await getAuthPolicy(context, id)
  const identities = await db
    .selectFrom('identities')
    .select('id')
    .where('auth_policy_id', '=', id)
    .orderBy('id')
    .limit(MAX_NAMED_REFERENCES)
    .execute()
  refuseReferenced('authPolicyId', 'identities', identities)
  const signers = await db
    .selectFrom('ext_jwt_signers')
    .select('id')
    .where('enroll_auth_policy_id', '=', id)
    .orderBy('id')
    .limit(MAX_NAMED_REFERENCES)
    .execute()
  refuseReferenced('enrollAuthPolicyId', 'externalJwtSigners', signers)
  if (id === DEFAULT_AUTH_POLICY_ID) {
    throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', {
      field: 'authPolicyId',
      reason: 'the default authentication policy applies to every identity that has no other',
      value: id,
    })
  }
  await db.deleteFrom('auth_policies').where('id', '=', id).execute()
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

export const AUTH_POLICY_WRITES = {
  'authPolicy.create': createAuthPolicy,
  'authPolicy.replace': replaceAuthPolicy,
  'authPolicy.patch': patchAuthPolicy,
  'authPolicy.delete': deleteAuthPolicy,
}

function refuseReferenced(field: string, store: string, users: readonly { id: string }[]): void {
  if (users.length === 0) return
  const ids = `[${users.map(({ id }) => id).join(' ')}]`
  const reason = `entity type authPolicies referenced by ${store}: ${ids}`
  throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', { field, reason, value: ids })
}

async function getAuthPolicy({ db }: WriteContext, id: string) {
  const policy = await findAuthPolicy(db, id)
  if (!policy) throw notFound('authPolicy', id)
  return policy
}

async function updateAuthPolicy(context: WriteContext, id: string, next: AuthPolicySettings): Promise<void> {
  const { db, now } = context
  await checkAuthPolicy(context, next)
  await refusingDuplicates({ name: next.name }, () =>
    db
      .updateTable('auth_policies')
      .set({ ...authPolicyColumns(next), updated_at: now })
      .where('id', '=', id)
      .execute(),
  )
  await db.deleteFrom('auth_policy_signers').where('auth_policy_id', '=', id).execute()
  await writeAllowedSigners(context, id, next)
  context.changed({ entity: ENTITY, id, action: 'updated' })
}

async function writeAllowedSigners({ db }: WriteContext, id: string, policy: AuthPolicySettings): Promise<void> {
  const rows = policy.primary.extJwt.allowedSigners.map((signerId) => ({ auth_policy_id: id, signer_id: signerId }))
  if (rows.length > 0) await db.insertInto('auth_policy_signers').values(rows).execute()
}

async function checkAuthPolicy({ db }: WriteContext, policy: AuthPolicySettings): Promise<void> {
  validateAuthPolicy(policy)
  const { allowedSigners } = policy.primary.extJwt
  const { requireExtJwtSigner } = policy.secondary
  const wanted = [...allowedSigners, ...(requireExtJwtSigner === null ? [] : [requireExtJwtSigner])]
  if (wanted.length === 0) return
  const rows = await db.selectFrom('ext_jwt_signers').select('id').where('id', 'in', wanted).execute()
  const known = new Set(rows.map(({ id }) => id))
  const unknownAt = allowedSigners.findIndex((id) => !known.has(id))
  if (unknownAt >= 0) {
    throw signerNotFound(`primary.extJwt.allowedExtJwtSigners[${unknownAt}]`, allowedSigners[unknownAt] ?? '')
  }
  if (requireExtJwtSigner !== null && !known.has(requireExtJwtSigner)) {
    throw signerNotFound('secondary.requiredExtJwtSigner', requireExtJwtSigner)
  }
}

/** The field names differ from the wire's own: existing clients know them so. */
function signerNotFound(field: string, value: string): AppError {
  return new AppError('NOT_FOUND', { field, reason: 'not found', value })
}
