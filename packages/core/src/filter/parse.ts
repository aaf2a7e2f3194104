import { echoedValue } from '../app-error.ts'
import {
  FILTER_BOUNDS,
  type FilterOptions,
  type Predicate,
  type Query,
  type SortField,
  type SymbolType,
} from './filter.ts'
import { checkFilterCost } from './filter-cost.ts'
import { type LeftSide, parseComparison } from './parse-comparison.ts'
import { parseSortFields } from './parse-sort.ts'
import {
  createTokenCursor,
  expectMark,
  isKeyword,
  peek,
  refusal,
  type TokenCursor,
  take,
  takeInfix,
  takeMark,
  takePrefix,
  takeSymbol,
  unexpected,
} from './token-cursor.ts'

interface FilterCursor extends TokenCursor {
  readonly options: FilterOptions
  depth: number
  terms: number
}

const TRUE: Predicate = { kind: 'constant', value: true }
const TAG_PREFIX = 'tags.'
const PAGING_KEYWORDS = ['sort', 'skip', 'limit']

/**
 * Parses a filter: a predicate, then `sort by`, `skip` and `limit`, all optional, in this order. `and` binds tighter than
 * `or`, and `not` applies to everything on its right. An empty text is `true`.
 * Throws INVALID_FILTER for a syntax error, an unknown symbol, or an exceeded bound.
 */
export function parseFilter(text: string, options: FilterOptions): Query {
  const cursor = { ...createTokenCursor(text, 'INVALID_FILTER', FILTER_BOUNDS.textBytes), options, depth: 0, terms: 0 }
  const start = peek(cursor)
  const predicate = start.kind === 'end' || PAGING_KEYWORDS.includes(start.keyword) ? TRUE : parseOr(cursor)
  const sort = parseSortBy(cursor)
  const skip = takeInfix(cursor, 'skip') ? takeInteger(cursor) : undefined
  const limit = takeInfix(cursor, 'limit') ? takeLimit(cursor) : undefined
  if (peek(cursor).kind !== 'end') throw unexpected(cursor)
  checkFilterCost(predicate, options)
  return { predicate, sort, ...(skip !== undefined && { skip }), ...(limit !== undefined && { limit }) }
}

function parseSortBy(cursor: FilterCursor): SortField[] {
  if (!takeInfix(cursor, 'sort')) return []
  if (!takeInfix(cursor, 'by')) throw unexpected(cursor)
  return parseSortFields(cursor, cursor.options)
}

function takeLimit(cursor: FilterCursor): number | 'none' {
  if (!isKeyword(cursor, 'none')) return takeInteger(cursor)
  cursor.at++
  return 'none'
}

function takeInteger(cursor: FilterCursor): number {
  const { kind, value, text } = peek(cursor)
  const isPlain = kind === 'number' && Number.isSafeInteger(value) && String(value) === text
  if (!isPlain) throw unexpected(cursor)
  cursor.at++
  return Number(value)
}

function parseOr(cursor: FilterCursor): Predicate {
  if (cursor.depth > FILTER_BOUNDS.depth) {
    throw refusal(cursor, `the filter is nested deeper than ${FILTER_BOUNDS.depth} levels`)
  }
  cursor.depth++
  const predicate = parseChain(cursor, 'or', () => parseChain(cursor, 'and', () => parseTerm(cursor)))
  cursor.depth--
  return predicate
}

function parseChain(cursor: FilterCursor, kind: 'and' | 'or', parseNext: () => Predicate): Predicate {
  const first = parseNext()
  const terms = [first]
  while (takeInfix(cursor, kind)) terms.push(parseNext())
  return terms.length === 1 ? first : { kind, terms }
}

function parseTerm(cursor: FilterCursor): Predicate {
  if (takePrefix(cursor, 'not')) return { kind: 'not', term: parseOr(cursor) }
  if (takeMark(cursor, '(')) {
    const group = parseOr(cursor)
    expectMark(cursor, ')')
    return group
  }
  const { maxTerms = FILTER_BOUNDS.terms } = cursor.options
  if (++cursor.terms > maxTerms) throw refusal(cursor, `the filter has more than ${maxTerms} terms`)
  if (isKeyword(cursor, 'true') || isKeyword(cursor, 'false')) {
    return { kind: 'constant', value: take(cursor).keyword === 'true' }
  }
  if (isCall(cursor, 'isempty')) return { kind: 'isEmpty', set: takeSetArgument(cursor) }
  return parseSymbolTerm(cursor)
}

function parseSymbolTerm(cursor: FilterCursor): Predicate {
  const left = takeLeftSide(cursor)
  const comparison = parseComparison(cursor, left)
  if (comparison !== undefined) return comparison
  // A tag is compared by its text form.
  const value = left.operand.kind === 'tag' ? 'true' : true
  if (left.type !== 'bool' && value === true) throw unexpected(cursor)
  return { kind: 'comparison', comparison: { operand: left.operand, negated: false, kind: 'equal', value } }
}

function takeLeftSide(cursor: FilterCursor): LeftSide {
  if (isCall(cursor, 'count')) {
    const set = takeSetArgument(cursor)
    return { operand: { kind: 'count', set }, type: 'number', label: `count(${set})` }
  }
  for (const kind of ['anyOf', 'allOf'] as const) {
    if (!isCall(cursor, kind.toLowerCase())) continue
    const set = takeSetArgument(cursor)
    return { operand: { kind: 'element' }, type: 'string', label: `${kind}(${set})`, elementsOf: { kind, set } }
  }
  const symbol = takeSymbol(cursor)
  if (cursor.options.tags && symbol.startsWith(TAG_PREFIX)) {
    return { operand: { kind: 'tag', key: symbol.slice(TAG_PREFIX.length) }, type: 'string', label: symbol }
  }
  const type = symbolType(cursor, symbol)
  if (type === 'set') throw refusal(cursor, `symbol '${symbol}' is a set and needs anyOf, allOf, count or isEmpty`)
  return { operand: { kind: 'symbol', symbol, type }, type, label: symbol }
}

/** Takes `name(set)`. The sub-query form `from set where …` is not supported, because the sets contain plain strings. */
function takeSetArgument(cursor: FilterCursor): string {
  take(cursor)
  expectMark(cursor, '(')
  if (isKeyword(cursor, 'from')) throw refusal(cursor, 'sub-queries with from and where are not supported')
  const symbol = takeSymbol(cursor)
  if (symbolType(cursor, symbol) !== 'set') throw refusal(cursor, `symbol '${symbol}' is not a set`)
  expectMark(cursor, ')')
  return symbol
}

function isCall(cursor: FilterCursor, keyword: string): boolean {
  const next = peek(cursor, 1)
  return isKeyword(cursor, keyword) && next.kind === 'mark' && next.value === '('
}

function symbolType(cursor: FilterCursor, symbol: string): SymbolType {
  const type = cursor.options.symbols.get(symbol)
  if (type === undefined) throw refusal(cursor, `unknown symbol '${echoedValue(symbol)}'`)
  return type
}
