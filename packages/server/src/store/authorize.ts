import { roleGives } from '@countersign/contract'
import { AppError, isAllowed } from '@countersign/core'
import { type Actor, hostedRoleOf, SYSTEM_ACTOR } from './actor.ts'
import { isHostedAccess, isSelf, type OperationAccess } from './operation-access.ts'
import type { OperationMeta } from './operation-meta.ts'
import { findAccountActor, findSessionActor } from './reads/actor-reads.ts'
import { findLocalOrganization } from './reads/organization-reads.ts'
import type { Transaction } from './transaction.ts'

type ActorMeta = Pick<OperationMeta, 'actorId' | 'credential' | 'now' | 'organizationId'>

/**
 * Reads the actor and its credential in the transaction that will write, because what authenticated the request may be stale. Fails with
 * UNAUTHORIZED when the actor is deleted or disabled, its session or client has ended, or it lacks the permission.
 */
export async function authorize(
  tx: Pick<Transaction, 'db' | 'dialect'>,
  access: OperationAccess,
  meta: ActorMeta,
): Promise<Actor> {
  const { actorId } = meta
  if (access === 'none') return { id: actorId, isAdmin: false, permissions: [] }
  if (actorId === SYSTEM_ACTOR.id) return SYSTEM_ACTOR
  const actor = await findActor(tx, access, meta)
  if (!actor || !(await mayRun(tx, actor, access, meta))) throw new AppError('UNAUTHORIZED')
  return actor
}

type CheckedAccess = Exclude<OperationAccess, 'none'>

async function findActor(
  tx: Pick<Transaction, 'db' | 'dialect'>,
  access: CheckedAccess,
  meta: ActorMeta,
): Promise<Actor | undefined> {
  const { credential } = meta
  if (credential && 'sessionId' in credential) {
    return findSessionActor(tx, { ...meta, credential, access })
  }
  return isHostedAccess(access) ? findAccountActor(tx.db, meta) : undefined
}

async function mayRun(
  { db }: Pick<Transaction, 'db'>,
  actor: Actor,
  access: CheckedAccess,
  { organizationId }: ActorMeta,
): Promise<boolean> {
  if (isSelf(access)) return true
  if (!isHostedAccess(access)) return isAllowed(actor, access)
  const role = hostedRoleOf(actor)
  if (access.hosted !== 'operator') return roleGives(role, access.hosted)
  return roleGives(role, 'admin') && organizationId === (await findLocalOrganization(db))
}
