import type { AuthenticatorMethod } from '@countersign/contract'
import { AppError, readLeafDigests, type Tags } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { insertRow } from '../../store/prepared.ts'
import type { AuthenticatorRow } from '../../store/schema.ts'
import { refusingDuplicates } from '../../store/unique-violation.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'
import { deleteSessionsOf } from '../api-session/api-session-operations.ts'
import { keepingAdministrators } from '../identity/keeping-administrators.ts'
import { type ByWhom, getEnrollableIdentity, getTouchableIdentity } from '../identity/touchable-identity.ts'

const ENTITY = 'authenticators'

export interface NewPasswordAuthenticator {
  readonly id: string
  readonly identityId: string
  readonly username: string
  readonly passwordDigest: string
  readonly tags?: Tags
}

const createPasswordAuthenticator: WriteOperation<ByWhom & NewPasswordAuthenticator, void> = async (
  context,
  { byAdmin, byPermissions = [], ...authenticator },
) => {
  await checkRoomFor(context, 'updb', authenticator.identityId, { byAdmin, byPermissions })
  await insertPasswordAuthenticator(context, authenticator)
}

const createCertificateAuthenticator: WriteOperation<ByWhom & NewCertificateAuthenticator, void> = async (
  context,
  { byAdmin, byPermissions = [], ...authenticator },
) => {
  await checkRoomFor(context, 'cert', authenticator.identityId, { byAdmin, byPermissions })
  await insertCertificateAuthenticator(context, authenticator)
}

/** An identity that the caller may touch, and that has none of this method. */
async function checkRoomFor(context: WriteContext, method: AuthenticatorMethod, identityId: string, by: ByWhom) {
  await getEnrollableIdentity(context, identityId, by)
  await checkHasNone(context, method, identityId)
}

/** Fails with MAX_AUTHENTICATOR_METHODS_REACHED. */
export async function checkHasNone(
  { db }: WriteContext,
  method: AuthenticatorMethod,
  identityId: string,
): Promise<void> {
  const other = await db
    .selectFrom('authenticators')
    .select('id')
    .where('identity_id', '=', identityId)
    .where('method', '=', method)
    .executeTakeFirst()
  if (!other) return
  const reason = 'the identity has an authenticator of this method already'
  throw new AppError('MAX_AUTHENTICATOR_METHODS_REACHED', { field: 'method', reason, value: method })
}

export async function insertPasswordAuthenticator(
  { db, now, changed }: WriteContext,
  { id, identityId, username, passwordDigest, tags = {} }: NewPasswordAuthenticator,
): Promise<void> {
  const row = { username, password_digest: passwordDigest, cert_pem: null, fingerprint: null, public_key_digest: null }
  await refusingDuplicates({ updbUsername: username }, () =>
    db
      .insertInto('authenticators')
      .values({ ...stamped({ id, identityId, tags }, now), method: 'updb', ...row })
      .execute(),
  )
  changed({ entity: ENTITY, id, action: 'created' })
}

export interface NewCertificateAuthenticator {
  readonly id: string
  readonly identityId: string
  /** The leaf first, and behind it what leads from there to the root. */
  readonly certPem: string
  /** SHA-1 of the leaf in lower-case hex. */
  readonly fingerprint: string
  /** SHA-256 of the leaf's SubjectPublicKeyInfo in base64url; read from the leaf unless given. */
  readonly publicKeyDigest?: string
  readonly tags?: Tags
}

/** Records a certificate that our CA has issued. Fails with CERT_IN_USE when it, or its key, is recorded already, for anybody. */
export async function insertCertificateAuthenticator(
  { db, now, changed }: WriteContext,
  { id, identityId, certPem, fingerprint, tags = {}, ...given }: NewCertificateAuthenticator,
): Promise<void> {
  const publicKeyDigest = given.publicKeyDigest ?? readLeafDigests(certPem).publicKeyDigest
  const row = {
    username: null,
    password_digest: null,
    cert_pem: certPem,
    fingerprint,
    public_key_digest: publicKeyDigest,
  }
  await refusingDuplicates({}, () =>
    insertRow(db, 'authenticators', { ...stamped({ id, identityId, tags }, now), method: 'cert', ...row }),
  )
  changed({ entity: ENTITY, id, action: 'created' })
}

function stamped({ id, identityId, tags }: { id: string; identityId: string; tags: Tags }, now: number) {
  return { id, identity_id: identityId, tags: JSON.stringify(tags), created_at: now, updated_at: now }
}

export interface AuthenticatorChange {
  readonly id: string
  readonly username?: string | undefined
  readonly passwordDigest?: string | undefined
  readonly tags?: Tags | undefined
}

/** Its owner changes his own password, whatever power he has; others need power over him. A certificate is renewed, not changed. */
const updateAuthenticator: WriteOperation<(ByWhom | { byOwner: string }) & AuthenticatorChange, void> = async (
  context,
  { id, username, passwordDigest, tags, ...by },
) => {
  const { db, now } = context
  const { identity_id: identityId, method } = await getAuthenticator(context, id)
  if (!('byOwner' in by)) await getTouchableIdentity(context, identityId, by)
  else if (by.byOwner !== identityId) throw notFound('authenticator', id)
  const isAboutPassword = username !== undefined || passwordDigest !== undefined
  if (isAboutPassword && method !== 'updb') throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR')
  if (!isAboutPassword && tags === undefined) return
  await refusingDuplicates({ updbUsername: username }, () =>
    db
      .updateTable('authenticators')
      .set({
        ...(username !== undefined && { username }),
        ...(passwordDigest !== undefined && { password_digest: passwordDigest }),
        ...(tags !== undefined && { tags: JSON.stringify(tags) }),
        updated_at: now,
      })
      .where('id', '=', id)
      .execute(),
  )
  context.changed({ entity: ENTITY, id, action: 'updated' })
}

const deleteAuthenticator: WriteOperation<ByWhom & { id: string }, void> = async (context, { id, ...by }) => {
  await removeAuthenticator(context, id, by)
}

/** The sessions that were opened with it end. */
export async function removeAuthenticator(context: WriteContext, id: string, by: ByWhom): Promise<void> {
  const { db } = context
  const { identity_id: identityId } = await getAuthenticator(context, id)
  const identity = await getTouchableIdentity(context, identityId, by)
  const remove = async () => {
    await db.deleteFrom('authenticators').where('id', '=', id).execute()
  }
  await (identity.isAdmin ? keepingAdministrators(context, remove) : remove())
  await deleteSessionsOf(context, identityId, { authenticatorId: id })
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

export const AUTHENTICATOR_WRITES = {
  'authenticator.createPassword': createPasswordAuthenticator,
  'authenticator.createCertificate': createCertificateAuthenticator,
  'authenticator.update': updateAuthenticator,
  'authenticator.delete': deleteAuthenticator,
}

export async function getAuthenticator(
  { db }: WriteContext,
  id: string,
): Promise<Pick<AuthenticatorRow, 'identity_id' | 'method' | 'username'>> {
  const row = await db
    .selectFrom('authenticators')
    .select(['identity_id', 'method', 'username'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('authenticator', id)
  return row
}
