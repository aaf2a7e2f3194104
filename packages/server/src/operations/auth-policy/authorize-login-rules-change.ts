import type { AuthorizedTransaction } from '../../store/operation.ts'
import { loadRightsUnderPolicy } from '../../store/reads/rights-reads.ts'
import { checkHasRightsOf } from '../identity/authorize-identity-change.ts'

/**
 * Fails with UNAUTHORIZED unless the actor may change every identity that has the policy: what a policy accepts as proof decides who can act as
 * its identities.
 */
export async function authorizeLoginRulesChange(tx: AuthorizedTransaction, policyId: string): Promise<void> {
  if (tx.actor.isAdmin) return
  checkHasRightsOf(tx.actor, await loadRightsUnderPolicy(tx.db, policyId))
}
