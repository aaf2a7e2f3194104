import { setImmediate as nextTurn } from 'node:timers/promises'
import { clientNetwork, createLruCache, MAX_RULE_COST, RuleBudget } from '@countersign/core'
import { GroupedQueue } from '../platform/grouped-queue.ts'
import { TurnState } from '../platform/turn-state.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { type KeySigner, untrustedOwnerOf } from '../store/key-signer.ts'

/** What the rules of all requests of this process cost. */
export const ALL_RULES = new RuleBudget(Number.POSITIVE_INFINITY)

/** Owners take turns, and so do the callers of one. What a caller has read before the wait is at most so much older. */
const WAITS = { maxWaiting: 250, maxWaitMs: 1_000 }
const queue = new GroupedQueue({ ...WAITS, atOnce: 1 })
/** Before that, the sessions of an identity take turns, and the networks of its logins: a thief leaves the owner theirs, and many have together those of one caller. */
const sessions = new GroupedQueue({ ...WAITS, atOnce: Number.POSITIVE_INFINITY })

/** What the rules of an owner have cost lately; those of others may be expensive. */
const costs = createLruCache<string, number>(10_000)
const CHEAP = MAX_RULE_COST / 40
/** How much of an earlier cost counts: claims can make a rule cheap and expensive by turns. */
const REMEMBERED = 0.9

const spentBefore = new TurnState(() => ALL_RULES.spent)

/** Whose rules are evaluated, and for whom. */
interface RuleTurn {
  readonly owner: string
  readonly caller: string
}

/**
 * Runs expensive rules in a turn of the event loop in which others have not taken milliseconds yet: those of many requests would otherwise run in one turn.
 * Those of an owner with cheap ones never wait. What the caller has read before is older afterwards. Fails with SERVER_TOO_MANY_REQUESTS, and with TIMEOUT after a second of waiting.
 */
async function inTurn<Result>({ owner, caller }: RuleTurn, evaluate: () => Result): Promise<Result> {
  const isCheap = (costs.get(owner) ?? MAX_RULE_COST) <= CHEAP
  const mustWait = isTurnSpent() || queue.hasWork(owner)
  return mustWait && !isCheap
    ? queue.run(owner, caller, async () => {
        while (isTurnSpent()) await nextTurn()
        return evaluateFor(owner, evaluate)
      })
    : evaluateFor(owner, evaluate)
}

/** Whether rules have taken milliseconds of this turn of the event loop. Asked before each evaluation. */
function isTurnSpent(): boolean {
  return ALL_RULES.spent - spentBefore.current >= MAX_RULE_COST
}

function evaluateFor<Result>(owner: string, evaluate: () => Result): Result {
  const before = ALL_RULES.spent
  try {
    return evaluate()
  } finally {
    costs.set(owner, Math.max(ALL_RULES.spent - before, (costs.get(owner) ?? 0) * REMEMBERED))
  }
}

/** Evaluates the rules of a signer. Without an address, for the controller itself. */
export function signerRulesInTurn(signer: KeySigner, address = '') {
  const owner = `signers of ${untrustedOwnerOf(signer) ?? signer.id}`
  return <Result>(evaluate: () => Result): Promise<Result> =>
    inTurn({ owner, caller: clientNetwork(address) }, evaluate)
}

type Policy = Pick<StoredAuthPolicy, 'id' | 'acceptRule'>

/** Evaluates the rule of a policy for a caller, at once when it has none. */
export async function policyRuleInTurn<Result>(
  policy: Policy | undefined,
  caller: string,
  evaluate: () => Result,
): Promise<Result> {
  return hasRule(policy) ? inTurn({ owner: `policy ${policy.id}`, caller }, evaluate) : evaluate()
}

/** A request of a session of an identity, or of a login, which has none yet. */
interface SessionRequest {
  readonly identityId?: string | undefined
  readonly sessionId?: string | undefined
  readonly address?: string | undefined
}

/** Like `policyRuleInTurn`, for a request of an identity. */
export async function sessionRuleInTurn<Result>(
  policy: Policy | undefined,
  { identityId = '', sessionId, address = '' }: SessionRequest,
  evaluate: () => Result,
): Promise<Result> {
  if (!hasRule(policy)) return evaluate()
  const member = sessionId ?? clientNetwork(address)
  return sessions.run(identityId, member, () => policyRuleInTurn(policy, identityId, evaluate))
}

function hasRule(policy: Policy | undefined): policy is Policy {
  return policy !== undefined && policy.acceptRule !== null
}
