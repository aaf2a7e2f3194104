import { AppError, isAccountIdentity, isAllowed } from '@countersign/core'
import type { Kysely } from 'kysely'
import { type Actor, SYSTEM_ACTOR } from './actor.ts'
import { isHostedAccess, type OperationAccess } from './operation-access.ts'
import type { OperationMeta } from './operation-meta.ts'
import { findActorAccount, findActorIdentity } from './reads/actor-reads.ts'
import type { Database } from './schema.ts'

/**
 * Reads the actor in the transaction that will write, because the rights cached with a session may be stale. Fails with UNAUTHORIZED when the
 * actor is deleted, disabled or lacks the permission.
 */
export async function authorize(
  db: Kysely<Database>,
  access: OperationAccess,
  { actorId, now }: Pick<OperationMeta, 'actorId' | 'now'>,
): Promise<Actor> {
  if (access === 'none') return { id: actorId, isAdmin: false, permissions: [] }
  if (actorId === SYSTEM_ACTOR.id) return SYSTEM_ACTOR
  const actor =
    isHostedAccess(access) && isAccountIdentity(actorId)
      ? await findActorAccount(db, actorId)
      : await findActorIdentity(db, actorId, now)
  if (!actor || !mayRun(actor, access)) throw new AppError('UNAUTHORIZED')
  return actor
}

function mayRun(actor: Actor, access: Exclude<OperationAccess, 'none'>): boolean {
  if (access === 'self') return true
  return isHostedAccess(access) ? actor.isAdmin : isAllowed(actor, access)
}
