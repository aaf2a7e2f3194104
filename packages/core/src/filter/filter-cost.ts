import { AppError } from '../app-error.ts'
import { type Comparison, FILTER_BOUNDS, type FilterOptions, type Predicate } from './filter.ts'

/** What a term costs for each row, compared to a comparison of a column with a value. */
const COSTS = { comparison: 1, contains: 10, tag: 10, set: 10, computed: 10 } as const

type Prices = Pick<FilterOptions, 'isComputed'>

/** Throws INVALID_FILTER when evaluating the predicate would cost more than a filter may. */
export function checkFilterCost(predicate: Predicate, prices: Prices): void {
  const cost = filterCost(predicate, prices)
  if (cost <= FILTER_BOUNDS.cost) return
  const listed = `a comparison costs ${COSTS.comparison}, contains and icontains ${COSTS.contains}, a tag, a set or a computed field ${COSTS.set} more`
  throw new AppError('INVALID_FILTER', {
    message: `the filter costs ${cost}, and at most ${FILTER_BOUNDS.cost} are allowed: ${listed}`,
  })
}

/** What evaluating the predicate costs for one row, in comparisons of a column with a value. */
export function filterCost(predicate: Predicate, prices: Prices): number {
  switch (predicate.kind) {
    case 'constant':
      return 0
    case 'and':
    case 'or':
      return predicate.terms.reduce((sum, term) => sum + filterCost(term, prices), 0)
    case 'not':
      return filterCost(predicate.term, prices)
    case 'isEmpty':
      return COSTS.set
    case 'anyOf':
    case 'allOf':
      return COSTS.set + comparisonCost(predicate.test, prices)
    case 'comparison':
      return comparisonCost(predicate.comparison, prices)
  }
}

function comparisonCost({ kind, operand }: Comparison, { isComputed }: Prices): number {
  const operation = kind === 'contains' ? COSTS.contains : COSTS.comparison
  switch (operand.kind) {
    case 'tag':
      return operation + COSTS.tag
    case 'count':
      return operation + COSTS.set
    case 'symbol':
      return isComputed?.(operand.symbol) ? operation + COSTS.computed : operation
    case 'element':
      return operation
  }
}
