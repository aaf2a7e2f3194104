import {
  compareRows,
  evaluate,
  type FilterOptions,
  type Paging,
  type RowReader,
  type SymbolType,
} from '@countersign/core'
import { paginationOf } from './list-response.ts'
import { type ListCall, readPaging } from './read-paging.ts'
import type { RouteResponse } from './route.ts'

/** A short list that is not in the database. */
export interface MemoryList<Row> {
  readonly options: FilterOptions
  readonly rows: readonly Row[]
  read(row: Row): RowReader
  show(row: Row): unknown
}

const COMMON_SYMBOLS: readonly (readonly [string, SymbolType])[] = [
  ['id', 'string'],
  ['createdAt', 'datetime'],
  ['updatedAt', 'datetime'],
  ['isSystem', 'bool'],
  ['name', 'string'],
]

/** Filter options for entities with a name: the symbols that all have, and those given. */
export function entityFilterOptions(...symbols: readonly (readonly [string, SymbolType])[]): FilterOptions {
  return { tags: true, symbols: new Map([...COMMON_SYMBOLS, ...symbols]) }
}

/** The response to a list request on rows in memory, filtered, sorted and paged like any other list. */
export function memoryListResponse<Row>(
  { options, rows, read, show }: MemoryList<Row>,
  call: ListCall,
): Promise<RouteResponse> {
  return readPaging(call, options, (paging) => {
    const page = selectPage(rows, read, paging)
    const filterableFields = [...options.symbols.keys(), ...(options.tags ? ['tags'] : [])]
    const meta = { filterableFields, pagination: paginationOf(paging, page.totalCount) }
    return { status: 200, json: { data: page.rows.map(show), meta } }
  })
}

/** The rows of a page, and the number of matching rows before paging. */
export function selectPage<Row>(
  rows: readonly Row[],
  read: (row: Row) => RowReader,
  { predicate, sort, limit, offset }: Paging,
): { rows: Row[]; totalCount: number } {
  const matching = rows.filter((row) => evaluate(predicate, read(row)))
  const sorted = matching.toSorted((left, right) => compareRows(sort, read(left), read(right)))
  return { rows: sorted.slice(offset, limit === 'none' ? undefined : offset + limit), totalCount: matching.length }
}

/** The response for entities that this product does not have. An invalid filter is refused all the same. */
export function emptyListResponse(options: FilterOptions, call: ListCall): Promise<RouteResponse> {
  const unreachable = (): never => {
    throw new TypeError('the list is empty')
  }
  return memoryListResponse({ options, rows: [], read: unreachable, show: unreachable }, call)
}
