import { setImmediate as nextTurn } from 'node:timers/promises'
import { MAX_RULE_COST, RuleBudget } from '@countersign/core'
import { FairQueue } from '../platform/fair-queue.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { type KeySigner, untrustedOwnerOf } from '../store/key-signer.ts'

/** What the rules of all requests of this process cost. */
export const ALL_RULES = new RuleBudget(Number.POSITIVE_INFINITY)

const queue = new FairQueue({ atOnce: 1, maxWaiting: 10_000 })
/** Before this turn of the event loop. */
let spentBefore = 0
let isTurnNoted = false

/**
 * Runs rules in a turn of the event loop in which others have not taken milliseconds yet: those of many requests would otherwise run in one turn. Owners of
 * rules take turns.
 */
async function inTurn<Result>(owner: string, evaluate: () => Result): Promise<Result> {
  if (ALL_RULES.spent - spentBefore >= MAX_RULE_COST) await queue.run(owner, nextTurn)
  if (!isTurnNoted) {
    isTurnNoted = true
    setImmediate(() => {
      isTurnNoted = false
      spentBefore = ALL_RULES.spent
    })
  }
  return evaluate()
}

export function signerRulesInTurn<Result>(signer: KeySigner, evaluate: () => Result): Promise<Result> {
  return inTurn(`signers of ${untrustedOwnerOf(signer) ?? signer.id}`, evaluate)
}

/** Evaluates at once when the policy has no rule. */
export async function policyRuleInTurn<Result>(
  policy: Pick<StoredAuthPolicy, 'id' | 'acceptRule'> | undefined,
  evaluate: () => Result,
): Promise<Result> {
  return policy && policy.acceptRule !== null ? inTurn(`policy ${policy.id}`, evaluate) : evaluate()
}
