import { setImmediate as nextTurn } from 'node:timers/promises'
import { MAX_RULE_COST, newRuleBudget, RuleBudget } from '@countersign/core'
import { untrustedOwnerOf } from '../store/key-signer.ts'
import type { StoredSigner } from '../store/signer-row.ts'

/**
 * What the rules of all signers may cost that one request asks about its tokens. Trusted signers share a budget, and so do those with the same last
 * writer that no administrator trusts: no writer can use up what the signers of others need.
 */
export class RuleBudgets {
  readonly #all = new RuleBudget(Number.POSITIVE_INFINITY)
  readonly #byOwner = new Map<string | undefined, RuleBudget>()
  #spentBefore = 0

  of(signer: StoredSigner): RuleBudget {
    const owner = untrustedOwnerOf(signer)
    const budget = this.#byOwner.get(owner) ?? newRuleBudget(this.#all)
    this.#byOwner.set(owner, budget)
    return budget
  }

  /** Lets other requests have their turn when rules took milliseconds since the last one. */
  async giveWay(): Promise<void> {
    const { spent } = this.#all
    if (spent - this.#spentBefore < MAX_RULE_COST) return
    this.#spentBefore = spent
    await nextTurn()
  }
}
