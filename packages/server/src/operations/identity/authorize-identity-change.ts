import { AppError, hasAllPermissionsOf, isAccountIdentity, type PermissionHolder } from '@countersign/core'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import type { AuthorizedTransaction } from '../../store/operation.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'

/**
 * Returns the identity if the actor may change it: an actor cannot change an identity with more rights than its own. Fails with NOT_FOUND or
 * UNAUTHORIZED.
 */
export async function authorizeIdentityChange(tx: AuthorizedTransaction, id: string): Promise<StoredIdentity> {
  const identity = await findIdentity(tx.db, id)
  if (!identity) throw notFound('identity', id)
  checkHasRightsOf(tx.actor, [identity])
  return identity
}

/** Fails with UNAUTHORIZED unless the actor has the rights of all these identities. */
export function checkHasRightsOf(actor: PermissionHolder, holders: readonly PermissionHolder[]): void {
  if (!holders.every((holder) => hasAllPermissionsOf(actor, holder))) throw new AppError('UNAUTHORIZED')
}

/**
 * Returns the identity if the actor may also give it a credential. Fails with ENTITY_CAN_NOT_BE_UPDATED for the
 * identity of an API account: its only credential is the account itself, and its rights follow the account's role.
 */
export async function authorizeCredentialGrant(tx: AuthorizedTransaction, id: string): Promise<StoredIdentity> {
  const identity = await authorizeIdentityChange(tx, id)
  checkMayHaveCredentials(id)
  return identity
}

/** Fails with ENTITY_CAN_NOT_BE_UPDATED for the identity of an API account. */
export function checkMayHaveCredentials(id: string): void {
  if (!isAccountIdentity(id)) return
  const message = 'the identity of an API account cannot have credentials'
  throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message })
}
