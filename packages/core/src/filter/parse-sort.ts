import { echoedValue } from '../app-error.ts'
import { FILTER_BOUNDS, type FilterOptions, type SortField } from './filter.ts'
import { createTokenCursor, peek, refusal, type TokenCursor, takeMark, takeSymbol, unexpected } from './token-cursor.ts'

/**
 * Reads a `sort` query parameter such as `name asc,createdAt desc`. Every field must be a scalar symbol of the list, else
 * INVALID_SORT_IDENTIFIER; the first five are used.
 */
export function parseSort(text: string, options: FilterOptions): SortField[] {
  const cursor = createTokenCursor(text, 'INVALID_SORT_IDENTIFIER', FILTER_BOUNDS.sortBytes)
  if (peek(cursor).kind === 'end') return []
  const fields = parseSortFields(cursor, options)
  if (peek(cursor).kind !== 'end') throw unexpected(cursor)
  return fields
}

/** Reads the fields at the cursor, shared by the parameter and by `sort by` inside a filter. */
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
  const { keyword, spaced } = peek(cursor)
  if (keyword !== 'asc' && keyword !== 'desc') return 'asc'
  if (!spaced) throw unexpected(cursor)
  cursor.at++
  return keyword
}
