import { newRuleBudget, type RuleBudget } from '@countersign/core'
import { untrustedOwnerOf } from '../store/key-signer.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import { ALL_RULES } from './rule-turns.ts'

/**
 * What the rules of all signers may cost that one request asks about its tokens, and those of the policies of the identities that these name. Trusted
 * signers share a budget of each kind, and so do those with the same last writer that no administrator trusts: no writer can use up what the signers of
 * others need.
 */
export class RuleBudgets {
  readonly #ofSigners = new Map<string | undefined, RuleBudget>()
  readonly #ofPolicies = new Map<string | undefined, RuleBudget>()

  of(signer: StoredSigner): RuleBudget {
    return this.#budgetIn(this.#ofSigners, signer)
  }

  /** For the rules of the policies that the tokens of the signer lead to. */
  ofPolicies(signer: StoredSigner): RuleBudget {
    return this.#budgetIn(this.#ofPolicies, signer)
  }

  #budgetIn(budgets: Map<string | undefined, RuleBudget>, signer: StoredSigner): RuleBudget {
    const owner = untrustedOwnerOf(signer)
    const budget = budgets.get(owner) ?? newRuleBudget(ALL_RULES)
    budgets.set(owner, budget)
    return budget
  }
}
