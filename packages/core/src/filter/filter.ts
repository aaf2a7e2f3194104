/** What a filter symbol holds; a `set` is a set of strings. */
export type SymbolType = 'string' | 'number' | 'bool' | 'datetime' | 'set'

export type ScalarType = Exclude<SymbolType, 'set'>

/** The symbols one list knows, by their case-sensitive names. What is not in here does not exist for the caller. */
export type FilterSymbols = ReadonlyMap<string, SymbolType>

export interface FilterOptions {
  readonly symbols: FilterSymbols
  /** Whether `tags.<key>` may be used. */
  readonly tags: boolean
}

/** A value inside a predicate. Instants are milliseconds since the epoch. */
export type Scalar = string | number | boolean

/** The left side of a comparison. An `element` is the member of the set that `anyOf` or `allOf` is looking at. */
export type Operand =
  | { readonly kind: 'symbol'; readonly symbol: string; readonly type: ScalarType }
  | { readonly kind: 'tag'; readonly key: string }
  | { readonly kind: 'count'; readonly set: string }
  | { readonly kind: 'element' }

export type OrderOperator = '<' | '<=' | '>' | '>='

/** The question a comparison asks of a present value; `between` is half-open: low <= x < high. */
export type Question =
  | { readonly kind: 'isNull' }
  | { readonly kind: 'equal'; readonly value: Scalar }
  | { readonly kind: 'order'; readonly operator: OrderOperator; readonly value: Scalar }
  | { readonly kind: 'contains'; readonly text: string; readonly ignoreCase: boolean }
  | { readonly kind: 'in'; readonly values: readonly Scalar[] }
  | { readonly kind: 'between'; readonly low: Scalar; readonly high: Scalar }

export type Comparison = { readonly operand: Operand; readonly negated: boolean } & Question

export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Predicate[] }
  | { readonly kind: 'not'; readonly term: Predicate }
  | { readonly kind: 'isEmpty'; readonly set: string }
  | { readonly kind: 'anyOf' | 'allOf'; readonly set: string; readonly test: Comparison }
  | { readonly kind: 'comparison'; readonly comparison: Comparison }

/** Whether it is true of every row, whatever is in it. */
export function isEverything(predicate: Predicate): boolean {
  return predicate.kind === 'constant' && predicate.value
}

export interface SortField {
  readonly symbol: string
  readonly descending: boolean
}

/** A filter text after parsing. `skip` and `limit` are as written, not yet brought into their bounds. */
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
  listElements: 500,
  sortFields: 5,
} as const

/**
 * Whether a comparison is true of an absent value: `= null`, `!=` and the `not contains` family are, all others are not,
 * `not in` and `not between` included.
 */
export function matchesAbsent(comparison: Comparison): boolean {
  if (comparison.kind === 'isNull') return !comparison.negated
  return comparison.negated && (comparison.kind === 'equal' || comparison.kind === 'contains')
}

/**
 * Lower-cases the letters A to Z only. `icontains` uses this everywhere, because it is the one folding that SQLite,
 * PostgreSQL (under the C collation) and JavaScript agree on.
 */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
