import type { Permission } from '@countersign/contract'
import { AppError, hasPowerOver, isAccountIdentity } from '@countersign/core'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import type { WriteContext } from '../../store/write-operation.ts'

/** What the caller may do: nobody touches an identity that has more power than himself, or hands out power. */
export interface ByWhom {
  readonly byAdmin: boolean
  readonly byPermissions?: readonly Permission[]
}

/** Fails with NOT_FOUND, or with UNAUTHORIZED for one that the caller may not touch. */
export async function getTouchableIdentity(
  { db }: WriteContext,
  id: string,
  { byAdmin, byPermissions = [] }: ByWhom,
): Promise<StoredIdentity> {
  const identity = await findIdentity(db, id)
  if (!identity) throw notFound('identity', id)
  if (!hasPowerOver({ isAdmin: byAdmin, permissions: byPermissions }, identity)) throw new AppError('UNAUTHORIZED')
  return identity
}

/**
 * One that may also get something to sign in with. That of an API account may not, from nobody: it comes through the hosted API alone, and
 * its rights follow the account's, so that whoever had another way in would have them too.
 */
export async function getEnrollableIdentity(context: WriteContext, id: string, by: ByWhom): Promise<StoredIdentity> {
  const identity = await getTouchableIdentity(context, id, by)
  if (isAccountIdentity(id)) {
    throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message: 'the identity of an API account has no other way in' })
  }
  return identity
}
