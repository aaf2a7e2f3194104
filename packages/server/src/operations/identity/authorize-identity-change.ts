import { AppError, hasPowerOver, isAccountIdentity } from '@countersign/core'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import type { AuthorizedTransaction } from '../../store/operation.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'

/**
 * The identity, when the actor may change it: no actor changes an identity that has more rights than itself. Fails with NOT_FOUND or
 * UNAUTHORIZED.
 */
export async function authorizeIdentityChange(tx: AuthorizedTransaction, id: string): Promise<StoredIdentity> {
  const identity = await findIdentity(tx.db, id)
  if (!identity) throw notFound('identity', id)
  if (!hasPowerOver(tx.actor, identity)) throw new AppError('UNAUTHORIZED')
  return identity
}

/**
 * The identity, when the actor may also give it a credential. Throws when the identity belongs to an API account: its only credential is the
 * account itself, and its rights follow the account's role.
 */
export async function authorizeCredentialGrant(tx: AuthorizedTransaction, id: string): Promise<StoredIdentity> {
  const identity = await authorizeIdentityChange(tx, id)
  if (isAccountIdentity(id)) {
    throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message: 'the identity of an API account has no other way in' })
  }
  return identity
}
