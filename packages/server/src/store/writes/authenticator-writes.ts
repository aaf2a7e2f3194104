import { AppError, type Tags } from '@countersign/core'
import { notFound } from '../not-found.ts'
import type { AuthenticatorRow } from '../schema.ts'
import { refusingDuplicates } from '../unique-violation.ts'
import type { WriteContext, WriteOperation } from '../write-operation.ts'
import { keepingAdministrators } from './keeping-administrators.ts'
import { type ByWhom, getTouchableIdentity } from './touchable-identity.ts'

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
  const { identityId } = authenticator
  await getTouchableIdentity(context, identityId, { byAdmin, byPermissions })
  const other = await context.db
    .selectFrom('authenticators')
    .select('id')
    .where('identity_id', '=', identityId)
    .where('method', '=', 'updb')
    .executeTakeFirst()
  if (other) {
    throw new AppError('MAX_AUTHENTICATOR_METHODS_REACHED', {
      field: 'method',
      reason: 'the identity has an authenticator of this method already',
      value: 'updb',
    })
  }
  await insertPasswordAuthenticator(context, authenticator)
}

export async function insertPasswordAuthenticator(
  { db, now, changed }: WriteContext,
  { id, identityId, username, passwordDigest, tags = {} }: NewPasswordAuthenticator,
): Promise<void> {
  await refusingDuplicates({ updbUsername: username }, () =>
    db
      .insertInto('authenticators')
      .values({
        id,
        identity_id: identityId,
        method: 'updb',
        username,
        password_digest: passwordDigest,
        cert_pem: null,
        fingerprint: null,
        tags: JSON.stringify(tags),
        created_at: now,
        updated_at: now,
      })
      .execute(),
  )
  changed({ entity: ENTITY, id, action: 'created' })
}

export interface PasswordAuthenticatorChange {
  readonly id: string
  readonly username?: string | undefined
  readonly passwordDigest?: string | undefined
  readonly tags?: Tags | undefined
}

/** Its owner changes his own password, whatever power he has; others need power over him. */
const updatePasswordAuthenticator: WriteOperation<
  (ByWhom | { byOwner: string }) & PasswordAuthenticatorChange,
  void
> = async (context, { id, username, passwordDigest, tags, ...by }) => {
  const { db, now } = context
  const { identity_id: identityId, method } = await getAuthenticator(context, id)
  if (!('byOwner' in by)) await getTouchableIdentity(context, identityId, by)
  else if (by.byOwner !== identityId) throw notFound('authenticator', id)
  if (method !== 'updb') throw new AppError('CAN_NOT_UPDATE_AUTHENTICATOR')
  if (username === undefined && passwordDigest === undefined && tags === undefined) return
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

/** The sessions that were opened with it end. */
const deleteAuthenticator: WriteOperation<ByWhom & { id: string }, void> = async (context, { id, ...by }) => {
  const { db } = context
  const { identity_id: identityId } = await getAuthenticator(context, id)
  const identity = await getTouchableIdentity(context, identityId, by)
  const remove = async () => {
    await db.deleteFrom('authenticators').where('id', '=', id).execute()
  }
  await (identity.isAdmin ? keepingAdministrators(context, remove) : remove())
  await db.deleteFrom('api_sessions').where('identity_id', '=', identityId).where('authenticator_id', '=', id).execute()
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

export const AUTHENTICATOR_WRITES = {
  'authenticator.createPassword': createPasswordAuthenticator,
  'authenticator.updatePassword': updatePasswordAuthenticator,
  'authenticator.delete': deleteAuthenticator,
}

async function getAuthenticator(
  { db }: WriteContext,
  id: string,
): Promise<Pick<AuthenticatorRow, 'identity_id' | 'method'>> {
  const row = await db
    .selectFrom('authenticators')
    .select(['identity_id', 'method'])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('authenticator', id)
  return row
}
