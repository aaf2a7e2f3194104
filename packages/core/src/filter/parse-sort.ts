import { echoedValue } from '../app-error.ts'
import { FILTER_BOUNDS, type FilterOptions, type SortField } from './filter.ts'
import { createTokenCursor, peek, refusal, type TokenCursor, takeMark, takeSymbol, unexpected } from './token-cursor.ts'

/**
 * Parses a `sort` query parameter such as `name asc,createdAt desc`. Throws INVALID_SORT_IDENTIFIER when a field is not a
 * scalar symbol of the list. Only the first five fields are used.
 */
export function parseSort(text: string, options: FilterOptions): SortField[] {
  const cursor = createTokenCursor(text, 'INVALID_SORT_IDENTIFIER', FILTER_BOUNDS.sortBytes)
  if (peek(cursor).kind === 'end') return []
  const fields = parseSortFields(cursor, options)
  if (peek(cursor).kind !== 'end') throw unexpected(cursor)
  return fields
}

/** Parses the fields at the cursor, for the parameter and for `sort by` inside a filter. */
export function parseSortFields(cursor: TokenCursor, options: FilterOptions): SortField[] {
  const fields: SortField[] = []
  do {
    const symbol = takeSymbol(cursor)
    const type = options.symbols.get(symbol)
    if (type === undefined) throw refusal(cursor, `unknown symbol '${echoedValue(symbol)}'`)
    if (type === 'set') throw refusal(cursor, `symbol '${symbol}' is a set and has no order`)
    fields.push({ symbol, descending: takeDirection(cursor) === 'desc' })
  } while (takeMark(cursor, ','))
  return fields.slice(0, FILTER_BOUNDS.sortFields)
}

function takeDirection(cursor: TokenCursor): string {
  const { keyword, isSpaced } = peek(cursor)
  if (keyword !== 'asc' && keyword !== 'desc') return 'asc'
  if (!isSpaced) throw unexpected(cursor)
  cursor.at++
  return keyword
}
