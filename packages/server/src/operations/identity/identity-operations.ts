import type { IdentityPatch, IdentityWrite } from '@countersign/contract'
import {
  AppError,
  fieldError,
  type IdentitySettings,
  identityFromBody,
  isAccountIdentity,
  patchedIdentity,
  validateIdentity,
} from '@countersign/core'
import { identityColumns, isDisabled, type StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import { insertRow, insertRows, prepared } from '../../store/prepared.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import { refusingDuplicates } from '../../store/unique-violation.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'
import { deleteSessionsOf } from '../api-session/api-session-operations.ts'
import { insertEnrollment, type NewEnrollment } from '../enrollment/enrollment-operations.ts'
import { keepingAdministrators } from './keeping-administrators.ts'
import { type ByWhom, getTouchableIdentity } from './touchable-identity.ts'

const ENTITY = 'identities'

const createIdentity: WriteOperation<
  ByWhom & { id: string; body: IdentityWrite; enrollment?: NewEnrollment | undefined },
  void
> = async (context, { id, body, enrollment, byAdmin }) => {
  const identity = identityFromBody(body)
  if (!byAdmin && (identity.isAdmin || identity.permissions.length > 0)) throw new AppError('UNAUTHORIZED')
  await insertIdentity(context, id, identity, { isDefaultAdmin: false })
  if (enrollment) await insertEnrollment(context, id, enrollment)
}

export async function insertIdentity(
  context: WriteContext,
  id: string,
  identity: IdentitySettings,
  { isDefaultAdmin }: { isDefaultAdmin: boolean },
): Promise<void> {
  const { db, now } = context
  await checkIdentity(context, id, identity)
  const { name, externalId } = identity
  await refusingDuplicates({ name, externalId }, () =>
    insertRow(db, 'identities', {
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
    }),
  )
  await writeAttributes(context, id, identity)
  context.changed({ entity: ENTITY, id, action: 'created' })
}

const replaceIdentity: WriteOperation<ByWhom & { id: string; body: IdentityWrite }, void> = async (
  context,
  { id, body, ...by },
) => {
  const current = await getTouchableIdentity(context, id, by)
  await updateIdentity(context, current, identityFromBody(body), by)
}

const patchIdentity: WriteOperation<ByWhom & { id: string; body: IdentityPatch }, void> = async (
  context,
  { id, body, ...by },
) => {
  const current = await getTouchableIdentity(context, id, by)
  if (Object.keys(body).length === 0) return
  await updateIdentity(context, current, patchedIdentity(current, body), by)
}

const deleteIdentity: WriteOperation<ByWhom & { id: string }, void> = async (context, { id, ...by }) => {
  const current = await getTouchableIdentity(context, id, by)
  if (current.isDefaultAdmin) {
    throw new AppError('ENTITY_CAN_NOT_BE_DELETED', { message: 'the default administrator can not be deleted' })
  }
  await guarded(context, current.isAdmin, async () => {
    await deleteSessionsOf(context, id)
    await context.db.deleteFrom('identities').where('id', '=', id).execute()
  })
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

const MS_PER_MINUTE = 60_000

/** Its sessions end for good; a duration of 0 means until somebody enables it. */
const disableIdentity: WriteOperation<ByWhom & { id: string; durationMinutes: number }, void> = async (
  context,
  { id, durationMinutes, ...by },
) => {
  const current = await getTouchableIdentity(context, id, by)
  await guarded(context, current.isAdmin, () => disableFor(context, id, durationMinutes))
}

/** After too many wrong passwords: the same, except that whoever is an administrator by now, or disabled already, stays as he is. */
const lockOutIdentity: WriteOperation<{ id: string; durationMinutes: number }, void> = async (
  context,
  { id, durationMinutes },
) => {
  const current = await findIdentity(context.db, id)
  if (current && !current.isAdmin && !isDisabled(current, context.now)) await disableFor(context, id, durationMinutes)
}

async function disableFor(context: WriteContext, id: string, minutes: number): Promise<void> {
  const { now } = context
  await writeDisabled(context, id, { at: now, until: minutes === 0 ? null : now + minutes * MS_PER_MINUTE })
  await deleteSessionsOf(context, id)
}

const enableIdentity: WriteOperation<ByWhom & { id: string }, void> = async (context, { id, ...by }) => {
  await getTouchableIdentity(context, id, by)
  await writeDisabled(context, id, { at: null, until: null })
}

export const IDENTITY_WRITES = {
  'identity.create': createIdentity,
  'identity.replace': replaceIdentity,
  'identity.patch': patchIdentity,
  'identity.delete': deleteIdentity,
  'identity.disable': disableIdentity,
  'identity.lockOut': lockOutIdentity,
  'identity.enable': enableIdentity,
}

async function guarded(context: WriteContext, isAboutAdmin: boolean, change: () => Promise<void>): Promise<void> {
  await (isAboutAdmin ? keepingAdministrators(context, change) : change())
}

async function updateIdentity(
  context: WriteContext,
  current: StoredIdentity,
  next: IdentitySettings,
  { byAdmin }: ByWhom,
): Promise<void> {
  const { db, now } = context
  if (!byAdmin && hasOtherPower(current, next)) throw new AppError('UNAUTHORIZED')
  if (current.isDefaultAdmin && !next.isAdmin) {
    throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message: 'the default administrator stays an administrator' })
  }
  if (isAccountIdentity(current.id) && isAnother(current, next)) {
    const message = 'name, policy, external id and rights of the identity of an API account follow the account'
    throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message })
  }
  await checkIdentity(context, current.id, next)
  const { name, externalId } = next
  await guarded(context, current.isAdmin, async () => {
    await refusingDuplicates({ name, externalId }, () =>
      db
        .updateTable('identities')
        .set({ ...identityColumns(next), updated_at: now })
        .where('id', '=', current.id)
        .execute(),
    )
  })
  await db.deleteFrom('identity_attributes').where('identity_id', '=', current.id).execute()
  await writeAttributes(context, current.id, next)
  context.changed({ entity: ENTITY, id: current.id, action: 'updated' })
}

function hasOtherPower(current: IdentitySettings, next: IdentitySettings): boolean {
  return next.isAdmin !== current.isAdmin || next.permissions.join() !== current.permissions.join()
}

function isAnother(current: IdentitySettings, next: IdentitySettings): boolean {
  const isSame = (['name', 'externalId', 'authPolicyId'] as const).every((field) => current[field] === next[field])
  return !isSame || hasOtherPower(current, next)
}

async function writeDisabled(
  { db, now, changed }: WriteContext,
  id: string,
  disabled: { at: number | null; until: number | null },
): Promise<void> {
  await db
    .updateTable('identities')
    .set({ disabled_at: disabled.at, disabled_until: disabled.until, updated_at: now })
    .where('id', '=', id)
    .execute()
  changed({ entity: ENTITY, id, action: 'updated' })
}

async function writeAttributes({ db }: WriteContext, id: string, { attributes }: IdentitySettings): Promise<void> {
  const rows = attributes.map((attribute) => ({ identity_id: id, attribute }))
  if (rows.length > 0) await insertRows(db, 'identity_attributes', rows)
}

const policyById = prepared(1, (db, id: string) => db.selectFrom('auth_policies').select('id').where('id', '=', id))

async function checkIdentity({ db }: WriteContext, id: string, identity: IdentitySettings): Promise<void> {
  validateIdentity(identity)
  const { name, authPolicyId } = identity
  if (isAccountIdentity(name) && name !== id) throw fieldError('name', 'this name is for an API account', name)
  const [policy] = await policyById(db, authPolicyId)
  if (!policy) throw notFound('authPolicy', authPolicyId)
}
