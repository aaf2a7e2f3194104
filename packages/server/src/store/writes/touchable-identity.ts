import type { Permission } from '@countersign/contract'
import { AppError, hasPowerOver } from '@countersign/core'
import type { StoredIdentity } from '../identity-row.ts'
import { notFound } from '../not-found.ts'
import { findIdentity } from '../reads/identity-reads.ts'
import type { WriteContext } from '../write-operation.ts'

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
