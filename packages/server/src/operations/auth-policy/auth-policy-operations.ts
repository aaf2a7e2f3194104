import { isDeepStrictEqual } from 'node:util'
import type { AuthPolicyPatch, AuthPolicyWrite } from '@countersign/contract'
import {
  ACCOUNT_AUTH_POLICY_ID,
  AppError,
  type AuthPolicySettings,
  authPolicyFromBody,
  DEFAULT_AUTH_POLICY_ID,
  echoedValue,
  patchedAuthPolicy,
  validateAuthPolicy,
} from '@countersign/core'
import { authPolicyColumns, type StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import { notFound } from '../../store/not-found.ts'
import { findAuthPolicy } from '../../store/reads/auth-policy-reads.ts'
import { refuseReferenced } from '../../store/referenced.ts'
import { refusingDuplicates } from '../../store/unique-violation.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'
import { keepingAdministrators } from '../identity/keeping-administrators.ts'

const ENTITY = 'authPolicies'

const createAuthPolicy: WriteOperation<{ id: string; body: AuthPolicyWrite }, void> = async (context, { id, body }) => {
  await checkSigners(context, body, signerFieldNotFound)
  await insertAuthPolicy(context, id, authPolicyFromBody(body))
}

export async function insertAuthPolicy(context: WriteContext, id: string, policy: AuthPolicySettings): Promise<void> {
  const { db, now } = context
  validateAuthPolicy(policy)
  await refusingDuplicates({ name: policy.name }, () =>
    db
      .insertInto('auth_policies')
      .values({ id, ...authPolicyColumns(policy), created_at: now, updated_at: now })
      .execute(),
  )
  await writeAllowedSigners(context, id, policy)
  context.changed({ entity: ENTITY, id, action: 'created' })
}

const replaceAuthPolicy: WriteOperation<{ id: string; body: AuthPolicyWrite }, void> = async (
  context,
  { id, body },
) => {
  const current = await getAuthPolicy(context, id)
  await checkSigners(context, body, signerNotFound)
  await updateAuthPolicy(context, current, authPolicyFromBody(body))
}

const patchAuthPolicy: WriteOperation<{ id: string; body: AuthPolicyPatch }, void> = async (context, { id, body }) => {
  const current = await getAuthPolicy(context, id)
  if (Object.keys(body).length === 0) return
  await checkSigners(context, body, signerNotFound)
  await updateAuthPolicy(context, current, patchedAuthPolicy(current, body))
}

const deleteAuthPolicy: WriteOperation<{ id: string }, void> = async (context, { id }) => {
  const { db } = context
  await getAuthPolicy(context, id)
  const identities = db.selectFrom('identities').select('id').where('auth_policy_id', '=', id)
  await refuseReferenced(identities, { entity: ENTITY, field: 'authPolicyId', by: 'identities' })
  const signers = db.selectFrom('ext_jwt_signers').select('id').where('enroll_auth_policy_id', '=', id)
  await refuseReferenced(signers, { entity: ENTITY, field: 'enrollAuthPolicyId', by: 'externalJwtSigners' })
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

async function getAuthPolicy({ db }: WriteContext, id: string) {
  const policy = await findAuthPolicy(db, id)
  if (!policy) throw notFound('authPolicy', id)
  return policy
}

async function updateAuthPolicy(
  context: WriteContext,
  current: StoredAuthPolicy,
  next: AuthPolicySettings,
): Promise<void> {
  const { db, now } = context
  const { id } = current
  if (id === ACCOUNT_AUTH_POLICY_ID) {
    throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', {
      message: 'the policy of API accounts lets nobody in, and stays so',
    })
  }
  validateAuthPolicy(next)
  const write = async () => {
    await refusingDuplicates({ name: next.name }, () =>
      db
        .updateTable('auth_policies')
        .set({ ...authPolicyColumns(next), updated_at: now })
        .where('id', '=', id)
        .execute(),
    )
    await db.deleteFrom('auth_policy_signers').where('auth_policy_id', '=', id).execute()
    await writeAllowedSigners(context, id, next)
  }
  const asksTheSame =
    isDeepStrictEqual(current.primary, next.primary) && isDeepStrictEqual(current.secondary, next.secondary)
  await (asksTheSame ? write() : keepingAdministrators(context, write))
  context.changed({ entity: ENTITY, id, action: 'updated' })
}

async function writeAllowedSigners({ db }: WriteContext, id: string, policy: AuthPolicySettings): Promise<void> {
  const rows = policy.primary.extJwt.allowedSigners.map((signerId) => ({ auth_policy_id: id, signer_id: signerId }))
  if (rows.length > 0) await db.insertInto('auth_policy_signers').values(rows).execute()
}

/** The signers that a body names must exist; of several that do not, the first in the body's own order is named. */
async function checkSigners(
  { db }: WriteContext,
  { primary, secondary }: AuthPolicyPatch,
  refuse: (field: string, id: string) => AppError,
): Promise<void> {
  const allowed = primary?.extJwt?.allowedSigners ?? []
  const required = secondary?.requireExtJwtSigner || null
  const wanted = required === null ? allowed : [...allowed, required]
  if (wanted.length === 0) return
  const rows = await db.selectFrom('ext_jwt_signers').select('id').where('id', 'in', wanted).execute()
  const known = new Set(rows.map(({ id }) => id))
  const unknownAt = allowed.findIndex((id) => !known.has(id))
  if (unknownAt >= 0)
    throw signerFieldNotFound(`primary.extJwt.allowedExtJwtSigners[${unknownAt}]`, allowed[unknownAt] ?? '')
  if (required !== null && !known.has(required)) throw refuse('secondary.requiredExtJwtSigner', required)
}

/** The field names differ from the wire's own: existing clients know them so. */
function signerFieldNotFound(field: string, value: string): AppError {
  return new AppError('NOT_FOUND', { field, reason: 'not found', value: echoedValue(value) })
}

/** On an update existing clients are told of a missing second signer in these words. */
function signerNotFound(_field: string, id: string): AppError {
  return notFound('externalJwtSigner', id)
}
