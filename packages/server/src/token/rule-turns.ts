import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLruCache, MAX_RULE_COST, RuleBudget } from '@countersign/core'
import { FairQueue } from '../platform/fair-queue.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { type KeySigner, untrustedOwnerOf } from '../store/key-signer.ts'

/** What the rules of all requests of this process cost. */
export const ALL_RULES = new RuleBudget(Number.POSITIVE_INFINITY)

/** One is evaluated in each turn of the event loop: the last one of an owner waits about a second, or four where a request spends its whole budget. */
const queue = new FairQueue({ atOnce: 1, maxWaiting: 250 })

/** What the rules of an owner have cost lately; those of others may be expensive. */
const costs = createLruCache<string, number>(10_000)
const CHEAP = MAX_RULE_COST / 40
/** How much of an earlier cost counts: claims can make a rule cheap and expensive by turns. */
const REMEMBERED = 0.9

/** Before this turn of the event loop. */
let spentBefore = 0
let isTurnNoted = false

/**
 * Runs expensive rules in a turn of the event loop in which others have not taken milliseconds yet: those of many requests would otherwise run in one turn.
 * Owners of rules take turns; those of cheap ones never wait. What the caller has read before is older afterwards. Fails with SERVER_TOO_MANY_REQUESTS.
 */
async function inTurn<Result>(owner: string, evaluate: () => Result): Promise<Result> {
  const isLate = ALL_RULES.spent - spentBefore >= MAX_RULE_COST
  const isCheap = (costs.get(owner) ?? MAX_RULE_COST) <= CHEAP
  if (isLate && !isCheap) await queue.run(owner, nextTurn)
  noteTurn()
  const before = ALL_RULES.spent
  try {
    return evaluate()
  } finally {
    costs.set(owner, Math.max(ALL_RULES.spent - before, (costs.get(owner) ?? 0) * REMEMBERED))
  }
}

function noteTurn(): void {
  if (isTurnNoted) return
  isTurnNoted = true
  setImmediate(() => {
    isTurnNoted = false
    spentBefore = ALL_RULES.spent
  })
}

/** Evaluates the rules of a signer. */
export function signerRulesInTurn(signer: KeySigner) {
  return <Result>(evaluate: () => Result): Promise<Result> =>
    inTurn(`signers of ${untrustedOwnerOf(signer) ?? signer.id}`, evaluate)
}

/** Evaluates the rule of a policy, at once when it has none. */
export async function policyRuleInTurn<Result>(
  policy: Pick<StoredAuthPolicy, 'id' | 'acceptRule'> | undefined,
  evaluate: () => Result,
): Promise<Result> {
  return policy && policy.acceptRule !== null ? inTurn(`policy ${policy.id}`, evaluate) : evaluate()
}
