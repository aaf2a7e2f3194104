import type { IdentityWrite } from '@countersign/contract'
import {
  AppError,
  fieldError,
  hasRights,
  type IdentitySettings,
  identityFromBody,
  isAccountIdentity,
  validateIdentity,
} from '@countersign/core'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { notFound } from '../../store/not-found.ts'
import { operation } from '../../store/operation.ts'
import { hasAuthPolicy } from '../../store/reads/auth-policy-reads.ts'
import { hasSigner } from '../../store/reads/signer-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertIdentity, type NewIdentityOptions } from '../../store/writes/identity-writes.ts'
import { addEnrollment, type NewEnrollment } from '../enrollment/add-enrollment.ts'

export interface CreateIdentity {
  readonly id: string
  readonly body: IdentityWrite
  readonly enrollment?: NewEnrollment | undefined
}

export const createIdentity = operation({
  name: 'identity.create',
  access: { entity: 'identity', action: 'create' },
  async run(tx, { id, body, enrollment }: CreateIdentity): Promise<void> {
    const identity = identityFromBody(body)
    if (!tx.actor.isAdmin && isPowerGiven(identity)) throw new AppError('UNAUTHORIZED')
    await addIdentity(tx, id, identity)
    if (enrollment) await addEnrollment(tx, id, enrollment)
  },
})

/** Only administrators give rights, and link identities to signers, whose identity providers can end their access. */
function isPowerGiven(identity: IdentitySettings): boolean {
  return hasRights(identity) || identity.linkedSigners.length > 0
}

/** Validates and inserts an identity; for any operation that creates one. */
export async function addIdentity(
  tx: Transaction,
  id: string,
  identity: IdentitySettings,
  options?: NewIdentityOptions,
): Promise<void> {
  await checkIdentity(tx, id, identity)
  await insertIdentity(tx, id, identity, options)
}

/** Checks the fields of an identity, its name and that its policy and signers exist. `current` is the identity before a change. */
export async function checkIdentity(
  { db }: Transaction,
  id: string,
  identity: IdentitySettings,
  current?: StoredIdentity,
): Promise<void> {
  validateIdentity(identity, current)
  const { name, authPolicyId } = identity
  if (isAccountIdentity(name) && name !== id) throw fieldError('name', 'this name is reserved for an API account', name)
  // Other controllers link hosting costs to services, of which there are none here.
  const [serviceId] = Object.keys(identity.serviceHostingCosts)
  if (serviceId !== undefined) throw notFound('service', serviceId)
  if (!(await hasAuthPolicy(db, authPolicyId))) throw notFound('authPolicy', authPolicyId)
  for (const signerId of identity.linkedSigners) {
    if (!(await hasSigner(db, signerId))) throw notFound('externalJwtSigner', signerId)
  }
}
