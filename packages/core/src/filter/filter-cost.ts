import { AppError } from '../app-error.ts'
import { type Comparison, FILTER_BOUNDS, type Predicate } from './filter.ts'

/** What a term costs for each row, compared to a comparison of a column with a value. */
const COSTS = { comparison: 1, contains: 10, tag: 10, set: 10 } as const

/** Throws INVALID_FILTER when evaluating the predicate would cost more than a filter may. */
export function checkFilterCost(predicate: Predicate): void {
  const cost = costOf(predicate)
  if (cost <= FILTER_BOUNDS.cost) return
  const prices = `a comparison costs ${COSTS.comparison}, contains and icontains ${COSTS.contains}, a tag or a set ${COSTS.set} more`
  throw new AppError('INVALID_FILTER', {
    message: `the filter costs ${cost}, and at most ${FILTER_BOUNDS.cost} are allowed: ${prices}`,
  })
}

function costOf(predicate: Predicate): number {
  switch (predicate.kind) {
    case 'constant':
      return 0
    case 'and':
    case 'or':
      return predicate.terms.reduce((sum, term) => sum + costOf(term), 0)
    case 'not':
      return costOf(predicate.term)
    case 'isEmpty':
      return COSTS.set
    case 'anyOf':
    case 'allOf':
      return COSTS.set + comparisonCost(predicate.test)
    case 'comparison':
      return comparisonCost(predicate.comparison)
  }
}

function comparisonCost({ kind, operand }: Comparison): number {
  const operation = kind === 'contains' ? COSTS.contains : COSTS.comparison
  if (operand.kind === 'tag') return operation + COSTS.tag
  return operand.kind === 'count' ? operation + COSTS.set : operation
}
