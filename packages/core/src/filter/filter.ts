/** The type of a filter symbol. A `set` is a set of strings. */
export type SymbolType = 'string' | 'number' | 'bool' | 'datetime' | 'set'

export type ScalarType = Exclude<SymbolType, 'set'>

/** The symbols of one list by their case-sensitive names. Other symbols are unknown to the caller. */
export type FilterSymbols = ReadonlyMap<string, SymbolType>

export interface FilterOptions {
  readonly symbols: FilterSymbols
  /** Whether `tags.<key>` may be used. */
  readonly tags: boolean
  /** Whether the value of a symbol is computed for each row, as by a query of another table. */
  readonly isComputed?: (symbol: string) => boolean
  /** The largest number of terms. Default 500. */
  readonly maxTerms?: number
}

/** A value inside a predicate. Instants are milliseconds since the epoch. */
export type Scalar = string | number | boolean

/** The left side of a comparison. An `element` is the current element of the set in `anyOf` or `allOf`. */
export type Operand =
  | { readonly kind: 'symbol'; readonly symbol: string; readonly type: ScalarType }
  | { readonly kind: 'tag'; readonly key: string }
  | { readonly kind: 'count'; readonly set: string }
  | { readonly kind: 'element' }

export type OrderOperator = '<' | '<=' | '>' | '>='

/** The condition on a present value. `between` is half-open: low <= x < high. */
export type Condition =
  | { readonly kind: 'isNull' }
  | { readonly kind: 'equal'; readonly value: Scalar }
  | { readonly kind: 'order'; readonly operator: OrderOperator; readonly value: Scalar }
  | { readonly kind: 'contains'; readonly text: string; readonly ignoreCase: boolean }
  | { readonly kind: 'in'; readonly values: readonly Scalar[] }
  | { readonly kind: 'between'; readonly low: Scalar; readonly high: Scalar }

export type Comparison = { readonly operand: Operand; readonly negated: boolean } & Condition

export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Predicate[] }
  | { readonly kind: 'not'; readonly term: Predicate }
  | { readonly kind: 'isEmpty'; readonly set: string }
  | { readonly kind: 'anyOf' | 'allOf'; readonly set: string; readonly test: Comparison }
  | { readonly kind: 'comparison'; readonly comparison: Comparison }

/** Whether the predicate is the constant true. */
export function matchesEveryRow(predicate: Predicate): boolean {
  return predicate.kind === 'constant' && predicate.value
}

export interface SortField {
  readonly symbol: string
  readonly descending: boolean
}

/** A parsed filter. `skip` and `limit` are as written; `resolvePaging` limits them. */
export interface Query {
  readonly predicate: Predicate
  readonly sort: readonly SortField[]
  readonly skip?: number
  readonly limit?: number | 'none'
}

export const FILTER_BOUNDS = {
  textBytes: 8192,
  sortBytes: 1024,
  depth: 64,
  terms: 500,
  /** Of evaluating the filter for one row; see `checkFilterCost`. */
  cost: 500,
  listElements: 500,
  sortFields: 5,
} as const

const NEGATED_MATCHES_ABSENT: ReadonlySet<Condition['kind']> = new Set(['equal', 'contains', 'in'])

/**
 * Whether a comparison is true for an absent value. True for `= null`, `!=`, `not in` and the `not contains` family, false for all
 * others, including `not between`.
 */
export function matchesAbsent(comparison: Comparison): boolean {
  if (comparison.kind === 'isNull') return !comparison.negated
  return comparison.negated && NEGATED_MATCHES_ABSENT.has(comparison.kind)
}

const PRINTABLE_ASCII = /^[ -~]*$/

/**
 * Lower-cases the letters A to Z only: the only case folding that is the same in SQLite, PostgreSQL (C collation) and
 * JavaScript. `icontains` uses it.
 */
export function foldAscii(text: string): string {
  // Without a call for each letter.
  return PRINTABLE_ASCII.test(text) ? text.toLowerCase() : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
