import type { RuleMap, RuleValue } from './rule-value.ts'

/** A part of a rule's text, by offsets. */
export interface RuleRange {
  readonly start: number
  readonly end: number
}

/** Why a rule has no value. Returned, not thrown: rules absorb faults (`fault || true` is true), and a stack trace for each would be expensive. */
export class RuleFault {
  readonly message: string
  readonly at: RuleRange

  constructor(message: string, at: RuleRange) {
    this.message = message
    this.at = at
  }
}

export type RuleResult = RuleValue | RuleFault

/** The values of the variables. */
export type RuleVariables = Readonly<Record<string, RuleMap>>

/**
 * What one evaluation may cost. One unit is one step of a rule, one compared element, or 64 characters; 8,000 of them take less than 5 ms.
 */
export const MAX_RULE_COST = 8_000
const CHARACTERS_PER_UNIT = 64

/** One evaluation: the variables, the values of the variables of comprehensions, and the cost that is left. */
export class RuleRun {
  readonly variables: RuleVariables
  readonly locals: RuleValue[] = []
  /** For explanations: the latest value of each part of the rule. */
  readonly trace: Map<object, RuleResult> | undefined
  readonly #most: number
  #left: number

  constructor(variables: RuleVariables, trace?: Map<object, RuleResult>, most = MAX_RULE_COST) {
    this.variables = variables
    this.trace = trace
    this.#most = most
    this.#left = most
  }

  get isOverspent(): boolean {
    return this.#left < 0
  }

  get cost(): number {
    return this.#most - this.#left
  }

  /** Returns whether the evaluation may go on. */
  spend(units: number): boolean {
    this.#left -= units
    return this.#left >= 0
  }

  /** Spends what reading so many characters costs. */
  spendText(characters: number): boolean {
    return this.spend(1 + Math.ceil(characters / CHARACTERS_PER_UNIT))
  }
}

/** What several evaluations may cost together. It can be a part of a larger budget. */
export class RuleBudget {
  readonly #units: number
  readonly #whole: RuleBudget | undefined
  #spent = 0

  constructor(units: number, whole?: RuleBudget) {
    this.#units = units
    this.#whole = whole
  }

  get spent(): number {
    return this.#spent
  }

  get left(): number {
    const own = this.#units - this.#spent
    return this.#whole ? Math.min(own, this.#whole.left) : own
  }

  get isSpent(): boolean {
    return this.left <= 0
  }

  spend(units: number): void {
    this.#spent += units
    this.#whole?.spend(units)
  }
}

/** Five rules may cost all they can: sixteen that read 200 groups each cost less, and the most expensive ones take less than 25 ms. */
const MAX_COST_TOGETHER = 5 * MAX_RULE_COST

/** What the rules of all signers that one token names may cost together. */
export const newRuleBudget = (whole?: RuleBudget): RuleBudget => new RuleBudget(MAX_COST_TOGETHER, whole)

/** The fault of every part that is evaluated after the cost is spent. The whole rule has then failed, whatever absorbs it. */
export const OVERSPENT = new RuleFault('the rule takes too long for these claims', { start: 0, end: 0 })

/** The fault of a rule that others left too little for. */
export const OVERSPENT_TOGETHER = new RuleFault(
  'the rules of the signers that the token names take too long together for these claims',
  { start: 0, end: 0 },
)
