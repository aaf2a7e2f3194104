import type { EnrollmentMethod } from '@countersign/contract'
import { AppError, fieldError, invalidField, type Tags } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { findEnrollment, getRedeemable, type RedeemableEnrollment } from '../../store/reads/enrollment-reads.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import type { EnrollmentRow } from '../../store/schema.ts'
import { duplicateError } from '../../store/unique-violation.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'
import {
  checkHasNone,
  getAuthenticator,
  insertCertificateAuthenticator,
  insertPasswordAuthenticator,
  type NewCertificateAuthenticator,
  removeAuthenticator,
} from '../authenticator/authenticator-operations.ts'
import { type ByWhom, getEnrollableIdentity, getTouchableIdentity } from '../identity/touchable-identity.ts'

const ENTITY = 'enrollments'

/** A token as it is stored, and until when it may be traded. */
export interface StoredToken {
  readonly tokenDigest: string
  readonly sealedToken: string
  readonly expiresAt: number
}

export interface NewEnrollment extends StoredToken {
  readonly id: string
  readonly method: EnrollmentMethod
  /** Of the method updb only. */
  readonly username: string | null
  readonly tags?: Tags
}

const createEnrollment: WriteOperation<ByWhom & NewEnrollment & { identityId: string }, void> = async (
  context,
  { identityId, byAdmin, byPermissions = [], ...enrollment },
) => {
  if (!(await findIdentity(context.db, identityId))) throw invalidField('identityId', 'not found', identityId)
  await getEnrollableIdentity(context, identityId, { byAdmin, byPermissions })
  await insertEnrollment(context, identityId, enrollment)
}

/** Fails with ENROLLMENT_EXISTS when one of the method is pending, and for passwords when there is no room for one. */
export async function insertEnrollment(
  context: WriteContext,
  identityId: string,
  { id, method, username, tokenDigest, sealedToken, expiresAt, tags = {} }: NewEnrollment,
): Promise<void> {
  const { db, now, changed } = context
  await checkNonePending(context, identityId, method)
  if (username !== null) {
    await checkHasNone(context, 'updb', identityId)
    await checkUsernameIsFree(context, username)
  }
  await db
    .insertInto('enrollments')
    .values({
      id,
      identity_id: identityId,
      method,
      username,
      token_digest: tokenDigest,
      sealed_token: sealedToken,
      expires_at: expiresAt,
      tags: JSON.stringify(tags),
      created_at: now,
      updated_at: now,
    })
    .execute()
  changed({ entity: ENTITY, id, action: 'created' })
}

/** The old token is worth nothing any more. */
const refreshEnrollment: WriteOperation<ByWhom & StoredToken & { id: string }, void> = async (
  context,
  { id, tokenDigest, sealedToken, expiresAt, ...by },
) => {
  await getTouchableEnrollment(context, id, by)
  await context.db
    .updateTable('enrollments')
    .set({ token_digest: tokenDigest, sealed_token: sealedToken, expires_at: expiresAt, updated_at: context.now })
    .where('id', '=', id)
    .execute()
  context.changed({ entity: ENTITY, id, action: 'updated' })
}

const deleteEnrollment: WriteOperation<ByWhom & { id: string }, void> = async (context, { id, ...by }) => {
  await getTouchableEnrollment(context, id, by)
  await removeEnrollment(context, id)
}

/** Trades an authenticator for an enrollment of its kind: whoever signed in with it has to enroll again. */
const reEnroll: WriteOperation<
  ByWhom & { id: string; enrollment: Omit<NewEnrollment, 'method' | 'username'> },
  void
> = async (context, { id, enrollment, ...by }) => {
  const { identity_id: identityId, method, username } = await getAuthenticator(context, id)
  await removeAuthenticator(context, id, by)
  const kind = method === 'updb' ? { method, username } : { method: 'ott' as const, username: null }
  await insertEnrollment(context, identityId, { ...enrollment, ...kind } as NewEnrollment)
}

/** Trades a token for a password, once: whoever comes second finds no such token. */
const redeemPassword: WriteOperation<
  { tokenDigest: string; authenticatorId: string; passwordDigest: string },
  void
> = async (context, { tokenDigest, authenticatorId: id, passwordDigest }) => {
  const { row, identity } = await takeEnrollment(context, tokenDigest, 'updb')
  await checkHasNone(context, 'updb', identity.id)
  await insertPasswordAuthenticator(context, {
    id,
    identityId: identity.id,
    username: row.username ?? '',
    passwordDigest,
  })
}

/** Trades a token for a certificate, once. The certificate must have been issued for the token's own identity. */
const redeemCertificate: WriteOperation<
  { tokenDigest: string; authenticator: NewCertificateAuthenticator },
  void
> = async (context, { tokenDigest, authenticator }) => {
  const { identity } = await takeEnrollment(context, tokenDigest, 'ott')
  if (identity.id !== authenticator.identityId) throw new AppError('INVALID_ENROLLMENT_TOKEN')
  await insertCertificateAuthenticator(context, authenticator)
}

export const ENROLLMENT_WRITES = {
  'enrollment.create': createEnrollment,
  'enrollment.refresh': refreshEnrollment,
  'enrollment.delete': deleteEnrollment,
  'enrollment.redeemPassword': redeemPassword,
  'enrollment.redeemCertificate': redeemCertificate,
  'authenticator.reEnroll': reEnroll,
}

async function takeEnrollment(
  context: WriteContext,
  tokenDigest: string,
  method: EnrollmentMethod,
): Promise<RedeemableEnrollment> {
  const { db, now } = context
  const found = await getRedeemable(db, { tokenDigest, method, now })
  await removeEnrollment(context, found.row.id)
  return found
}

async function removeEnrollment({ db, changed }: WriteContext, id: string): Promise<void> {
  await db.deleteFrom('enrollments').where('id', '=', id).execute()
  changed({ entity: ENTITY, id, action: 'deleted' })
}

async function getTouchableEnrollment(context: WriteContext, id: string, by: ByWhom): Promise<EnrollmentRow> {
  const row = await findEnrollment(context.db, id)
  if (!row) throw notFound('enrollment', id)
  await getTouchableIdentity(context, row.identity_id, by)
  return row
}

async function checkNonePending({ db }: WriteContext, identityId: string, method: EnrollmentMethod): Promise<void> {
  const pending = await db
    .selectFrom('enrollments')
    .select('id')
    .where('identity_id', '=', identityId)
    .where('method', '=', method)
    .executeTakeFirst()
  if (!pending) return
  const reason = 'the identity has an enrollment of this method already, which can be refreshed or deleted'
  throw new AppError('ENROLLMENT_EXISTS', { field: 'method', reason, value: method })
}

/** Two who wait for the same user name would find out only when the second one enrolls. */
async function checkUsernameIsFree({ db }: WriteContext, username: string): Promise<void> {
  const holder = await db.selectFrom('authenticators').select('id').where('username', '=', username).executeTakeFirst()
  if (holder) throw duplicateError('authenticators_username', { updbUsername: username })
  const waiting = await db.selectFrom('enrollments').select('id').where('username', '=', username).executeTakeFirst()
  if (waiting) throw fieldError('username', 'another enrollment has this user name', username)
}
