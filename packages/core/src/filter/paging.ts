import { echoedValue, fieldError } from '../app-error.ts'
import { isDigit } from './character.ts'
import type { FilterOptions, Predicate, SortField } from './filter.ts'
import { parseFilter } from './parse.ts'
import { parseSort } from './parse-sort.ts'

/** The URL-decoded query parameters of a list. */
export interface ListParameters {
  readonly filter?: string | undefined
  readonly sort?: string | undefined
  readonly limit?: string | undefined
  readonly offset?: string | undefined
  /** The largest limit of this list. Default 500. */
  readonly maxLimit?: number
}

export interface PagingOptions extends FilterOptions {
  /** When false, a request without limit gets `maxLimit` rows. Default true. */
  readonly allowUnlimited?: boolean
  /** The limit when the request names none. Default 10. */
  readonly defaultLimit?: number | 'none'
  /** The order when the request names none. Default: by id. */
  readonly defaultSort?: readonly SortField[]
}

export interface Paging {
  readonly predicate: Predicate
  /** Ends with `id`, so that pages never overlap. */
  readonly sort: readonly SortField[]
  readonly limit: number | 'none'
  readonly offset: number
}

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 500
const MAX_OFFSET = 100_000
const INT64_MAX_CHARACTERS = 20

/**
 * Parses the parameters of a list. Sort, limit and skip inside the filter take precedence over the parameters. Throws
 * COULD_NOT_VALIDATE for a limit or offset that is not an integer, INVALID_FILTER, or INVALID_SORT_IDENTIFIER.
 */
export function resolvePaging(parameters: ListParameters, options: PagingOptions): Paging {
  const limitParameter = parseLimit(parameters.limit)
  const offsetParameter = parseInteger('offset', parameters.offset)
  const sortParameter = parseSort(parameters.sort ?? '', options)
  const query = parseFilter(parameters.filter ?? '', options)
  return {
    predicate: query.predicate,
    sort: withTieBreaker(firstGiven(query.sort, sortParameter, options.defaultSort ?? [])),
    limit: boundLimit(query.limit ?? limitParameter, parameters.maxLimit ?? MAX_LIMIT, options),
    offset: Math.min(Math.max(query.skip ?? offsetParameter ?? 0, 0), MAX_OFFSET),
  }
}

function parseLimit(text: string | undefined): number | 'none' | undefined {
  return text === 'none' ? text : parseInteger('limit', text)
}

/** Parses a 64-bit integer. Beyond 2^53 it is not exact, but all such values have the same effect. */
function parseInteger(field: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  const digits = text.startsWith('-') || text.startsWith('+') ? text.slice(1) : text
  if (digits.length > 0 && text.length <= INT64_MAX_CHARACTERS && [...digits].every(isDigit)) {
    const value = BigInt(text)
    if (BigInt.asIntN(64, value) === value) return Number(value)
  }
  throw fieldError(field, `${field} in query must be of type int64: "${echoedValue(text)}"`, text)
}

function boundLimit(limit: number | 'none' | undefined, maxLimit: number, options: PagingOptions): number | 'none' {
  const { allowUnlimited = true, defaultLimit = DEFAULT_LIMIT } = options
  if (limit === undefined && defaultLimit === 'none') return 'none'
  if (limit === 'none' || limit === -1) return allowUnlimited ? 'none' : maxLimit
  if (limit === undefined || limit <= 0)
    return Math.min(defaultLimit === 'none' ? DEFAULT_LIMIT : defaultLimit, maxLimit)
  return Math.min(limit, maxLimit)
}

function firstGiven(...orders: readonly (readonly SortField[])[]): readonly SortField[] {
  return orders.find((order) => order.length > 0) ?? []
}

function withTieBreaker(sort: readonly SortField[]): readonly SortField[] {
  return sort.some(({ symbol }) => symbol === 'id') ? sort : [...sort, { symbol: 'id', descending: false }]
}
