import type { Comparison, Predicate } from '@countersign/core'
import { Argument } from './prepared.ts'

/** A predicate with arguments in place of its values: all that the SQL text depends on. */
export interface FilterShape {
  readonly shape: Predicate
  readonly values: readonly unknown[]
}

/** Separates the values of a predicate from its shape, so that one statement serves all predicates of that shape. */
export function splitPredicate(predicate: Predicate): FilterShape {
  const values: unknown[] = []
  return { shape: withArguments(predicate, values), values }
}

function withArguments(predicate: Predicate, values: unknown[]): Predicate {
  switch (predicate.kind) {
    case 'constant':
    case 'isEmpty':
      return predicate
    case 'and':
    case 'or':
      return { ...predicate, terms: predicate.terms.map((term) => withArguments(term, values)) }
    case 'not':
      return { ...predicate, term: withArguments(predicate.term, values) }
    case 'anyOf':
    case 'allOf':
      return { ...predicate, test: comparisonOf(predicate.test, values) }
    case 'comparison':
      return { ...predicate, comparison: comparisonOf(predicate.comparison, values) }
  }
}

function comparisonOf(comparison: Comparison, values: unknown[]): Comparison {
  // A placeholder: nothing reads it as a value.
  const argument = <Value>(value: Value): Value => new Argument(values.push(value) - 1) as Value
  switch (comparison.kind) {
    case 'isNull':
      return comparison
    case 'equal':
    case 'order':
      return { ...comparison, value: argument(comparison.value) }
    case 'contains':
      return { ...comparison, text: argument(comparison.text) }
    case 'in':
      return { ...comparison, values: comparison.values.map(argument) }
    case 'between':
      return { ...comparison, low: argument(comparison.low), high: argument(comparison.high) }
  }
}
