import type { IdentityPatch, IdentityWrite } from '@countersign/contract'
import { AppError, type IdentitySettings, identityFromBody, patchedIdentity, validateIdentity } from '@countersign/core'
import { type StoredIdentity, identityColumns } from '../identity-row.ts'
import { notFound } from '../not-found.ts'
import { findIdentity } from '../reads/identity-reads.ts'
import { refusingDuplicates } from '../unique-violation.ts'
import type { WriteContext, WriteOperation } from '../write-operation.ts'

const ENTITY = 'identities'

/** Only an administrator gives or changes the power of an identity, or touches an administrator at all. */
interface ByWhom {
  readonly byAdmin: boolean
}

const createIdentity: WriteOperation<ByWhom & { id: string; body: IdentityWrite }, void> = async (
  context,
  { id, body, byAdmin },
) => {
  const identity = identityFromBody(body)
  if (!byAdmin && (identity.isAdmin || identity.permissions.length > 0)) throw new AppError('UNAUTHORIZED')
  await insertIdentity(context, id, identity, { isDefaultAdmin: false })
}

export async function insertIdentity(
  context: WriteContext,
  id: string,
  identity: IdentitySettings,
  { isDefaultAdmin }: { isDefaultAdmin: boolean },
): Promise<void> {
  const { db, now } = context
  await checkIdentity(context, identity)
  const { name, externalId } = identity
  await refusingDuplicates({ name, externalId }, () =>
    db
      .insertInto('identities')
      .values({
        id,
        ...identityColumns(identity),
        type_id: 'Default',
        is_default_admin: isDefaultAdmin,
        env_info: '{}',
        sdk_info: '{}',
        disabled_at: null,
        disabled_until: null,
        created_at: now,
        updated_at: now,
      })
      .execute(),
  )
  await writeAttributes(context, id, identity)
  context.changed({ entity: ENTITY, id, action: 'created' })
}

const replaceIdentity: WriteOperation<ByWhom & { id: string; body: IdentityWrite }, void> = async (
  context,
  { id, body, byAdmin },
) => {
  const current = await getIdentity(context, id)
  await updateIdentity(context, current, identityFromBody(body), byAdmin)
}

const patchIdentity: WriteOperation<ByWhom & { id: string; body: IdentityPatch }, void> = async (
  context,
  { id, body, byAdmin },
) => {
  const current = await getIdentity(context, id)
  if (Object.keys(body).length === 0) return
  await updateIdentity(context, current, patchedIdentity(current, body), byAdmin)
}

const deleteIdentity: WriteOperation<ByWhom & { id: string }, void> = async (context, { id, byAdmin }) => {
  const current = await getIdentity(context, id)
  if (!byAdmin && hasPower(current)) throw new AppError('UNAUTHORIZED')
  if (current.isDefaultAdmin) {
    throw new AppError('ENTITY_CAN_NOT_BE_DELETED', { message: 'the default administrator can not be deleted' })
  }
  await context.db.deleteFrom('identities').where('id', '=', id).execute()
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

export const IDENTITY_WRITES = {
  'identity.create': createIdentity,
  'identity.replace': replaceIdentity,
  'identity.patch': patchIdentity,
  'identity.delete': deleteIdentity,
}

function hasPower(identity: Pick<IdentitySettings, 'isAdmin' | 'permissions'>): boolean {
  return identity.isAdmin || identity.permissions.length > 0
}

async function getIdentity({ db }: WriteContext, id: string): Promise<StoredIdentity> {
  const identity = await findIdentity(db, id)
  if (!identity) throw notFound('identity', id)
  return identity
}

async function updateIdentity(
  context: WriteContext,
  current: StoredIdentity,
  next: IdentitySettings,
  byAdmin: boolean,
): Promise<void> {
  const { db, now } = context
  if (!byAdmin && (current.isAdmin || hasMorePower(current, next))) throw new AppError('UNAUTHORIZED')
  if (current.isDefaultAdmin && !next.isAdmin) {
    throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message: 'the default administrator stays an administrator' })
  }
  await checkIdentity(context, next)
  const { name, externalId } = next
  await refusingDuplicates({ name, externalId }, () =>
    db
      .updateTable('identities')
      .set({ ...identityColumns(next), updated_at: now })
      .where('id', '=', current.id)
      .execute(),
  )
  await db.deleteFrom('identity_attributes').where('identity_id', '=', current.id).execute()
  await writeAttributes(context, current.id, next)
  context.changed({ entity: ENTITY, id: current.id, action: 'updated' })
}

function hasMorePower(current: IdentitySettings, next: IdentitySettings): boolean {
  return next.isAdmin !== current.isAdmin || next.permissions.join() !== current.permissions.join()
}

async function writeAttributes({ db }: WriteContext, id: string, { attributes }: IdentitySettings): Promise<void> {
  const rows = attributes.map((attribute) => ({ identity_id: id, attribute }))
  if (rows.length > 0) await db.insertInto('identity_attributes').values(rows).execute()
}

async function checkIdentity({ db }: WriteContext, identity: IdentitySettings): Promise<void> {
  validateIdentity(identity)
  const { authPolicyId } = identity
  const policy = await db.selectFrom('auth_policies').select('id').where('id', '=', authPolicyId).executeTakeFirst()
  if (!policy) throw notFound('authPolicy', authPolicyId)
}
