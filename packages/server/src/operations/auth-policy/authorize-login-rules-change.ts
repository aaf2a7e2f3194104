import { AppError, hasAllPermissionsOf } from '@countersign/core'
import type { AuthorizedTransaction } from '../../store/operation.ts'
import { loadRightsUnderPolicy } from '../../store/reads/identity-reads.ts'

/**
 * Fails with UNAUTHORIZED unless the actor may change every identity that has the policy: what a policy accepts as proof decides who can act as
 * its identities.
 */
export async function authorizeLoginRulesChange(tx: AuthorizedTransaction, policyId: string): Promise<void> {
  if (tx.actor.isAdmin) return
  const holders = await loadRightsUnderPolicy(tx.db, policyId)
  if (!holders.every((holder) => hasAllPermissionsOf(tx.actor, holder))) throw new AppError('UNAUTHORIZED')
}
