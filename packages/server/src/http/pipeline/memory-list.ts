import {
  compareRows,
  evaluate,
  type FilterOptions,
  type RowReader,
  resolvePaging,
  type SymbolType,
} from '@countersign/core'
import { listParameters, paginationOf } from './list-answer.ts'
import type { Query } from './query.ts'
import type { Answer } from './route.ts'

/** A short list that is in no table: what may be asked of its members, and how one is read and shown. */
export interface MemoryList<Row> {
  readonly options: FilterOptions
  readonly rows: readonly Row[]
  read(row: Row): RowReader
  show(row: Row): unknown
}

const OF_ALL: readonly (readonly [string, SymbolType])[] = [
  ['id', 'string'],
  ['createdAt', 'datetime'],
  ['updatedAt', 'datetime'],
  ['isSystem', 'bool'],
  ['name', 'string'],
]

/** What may be asked of things that have a name: what all have, and what these have besides. */
export function namedThings(...own: readonly (readonly [string, SymbolType])[]): FilterOptions {
  return { tags: true, symbols: new Map([...OF_ALL, ...own]) }
}

/** The answer to a list call on rows that are at hand, filtered, sorted and paged like any other list. */
export function memoryListAnswer<Row>({ options, rows, read, show }: MemoryList<Row>, query: Query): Answer {
  const paging = resolvePaging(listParameters(query), options)
  const matching = rows.filter((row) => evaluate(paging.predicate, read(row)))
  const sorted = matching.toSorted((left, right) => compareRows(paging.sort, read(left), read(right)))
  const end = paging.limit === 'none' ? undefined : paging.offset + paging.limit
  const data = sorted.slice(paging.offset, end).map(show)
  const filterableFields = [...options.symbols.keys(), ...(options.tags ? ['tags'] : [])]
  return {
    status: 200,
    json: { data, meta: { filterableFields, pagination: paginationOf(paging, matching.length) } },
  }
}

/** A list whose kind of thing this product does not have. What is asked of it must make sense all the same. */
export function emptyListAnswer(options: FilterOptions, query: Query): Answer {
  const nothing = (): never => {
    throw new TypeError('the list is empty')
  }
  return memoryListAnswer({ options, rows: [], read: nothing, show: nothing }, query)
}
