import { Readable } from 'node:stream'
import { matchesEveryRow, type Paging, type PagingOptions, type Predicate, resolvePaging } from '@countersign/core'
import { buildFilterOptions, type FilterTable } from '../../store/filter-to-sql.ts'
import { createListReader, type ListReader, mayTakeLong } from '../../store/reads/list-reader.ts'
import { allRows, type Columns, countRows, listPage } from '../../store/reads/list-rows.ts'
import type { Store } from '../../store/store.ts'
import type { Call } from './call.ts'
import type { Query } from './query.ts'
import type { RouteResponse } from './route.ts'

/** A list that can be filtered, sorted and paged. */
export interface ListSource<Row> {
  readonly store: Store
  readonly table: FilterTable
  /** The columns that `show` needs; all unless given. */
  readonly columns?: Columns
  /** The rows that the list may contain; all unless given. */
  readonly within?: Within
  /** Returns the number of rows for a request without filter, where a COUNT query would be too slow. */
  readonly countAll?: (() => Promise<number>) | undefined
  /** Returns for each row a value or its JSON text. */
  show(rows: readonly Row[]): Promise<readonly unknown[]> | readonly unknown[]
}

/** A condition beside the caller's filter. `table` may have symbols that callers cannot use. */
export interface Within {
  readonly table: FilterTable
  readonly predicate: Predicate
}

/** The response to a list request. A page is read at once; a list without limit is streamed. */
export async function listResponse<Row extends { id: string }>(
  source: ListSource<Row>,
  { query, callerKey }: Pick<Call, 'query' | 'callerKey'>,
): Promise<RouteResponse> {
  const { store, columns, within } = source
  const requested = resolvePaging(listParameters(query), optionsOf(source.table))
  const table = within?.table ?? source.table
  const paging = within ? { ...requested, predicate: both(within.predicate, requested.predicate) } : requested
  const { limit } = paging
  const countAll = matchesEveryRow(requested.predicate) ? source.countAll : undefined
  const isLong = mayTakeLong(countAll ? requested : paging, table)
  const reader = createListReader(store, { caller: callerKey, isLong })
  if (limit === 'none') {
    // Before the response begins, so that a refusal is still possible.
    const totalCount = await countRows(reader, table, paging)
    return { status: 200, stream: Readable.from(wholeList(source, { reader, table, paging, totalCount })) }
  }
  const { rows, totalCount } = await listPage<Row>(reader, table, { ...paging, limit }, columns, countAll)
  return { status: 200, text: listText(await source.show(rows), listMeta(source.table, paging, totalCount)) }
}

function both(one: Predicate, other: Predicate): Predicate {
  return { kind: 'and', terms: [one, other] }
}

function listText(shown: readonly unknown[], meta: unknown): string {
  return `{"data":[${shown.map(textOf).join(',')}],"meta":${JSON.stringify(meta)}}\n`
}

function textOf(shown: unknown): string {
  return typeof shown === 'string' ? shown : JSON.stringify(shown)
}

export function listParameters(query: Query) {
  return {
    filter: query.get('filter'),
    sort: query.get('sort'),
    limit: query.get('limit'),
    offset: query.get('offset'),
  }
}

export function listMeta(table: FilterTable, paging: Pick<Paging, 'limit' | 'offset'>, totalCount: number) {
  return { filterableFields: [...table.columns.keys()], pagination: paginationOf(paging, totalCount) }
}

/** `limit` is -1 for a list without limit. */
export function paginationOf({ limit, offset }: Pick<Paging, 'limit' | 'offset'>, totalCount: number) {
  return { limit: limit === 'none' ? -1 : limit, offset, totalCount }
}

const optionsByTable = new WeakMap<FilterTable, PagingOptions>()

function optionsOf(table: FilterTable): PagingOptions {
  let options = optionsByTable.get(table)
  if (!options) {
    options = { ...buildFilterOptions(table), ...(table.isUnlimitedByDefault && { defaultLimit: 'none' }) }
    optionsByTable.set(table, options)
  }
  return options
}

interface WholeList {
  readonly reader: ListReader
  readonly table: FilterTable
  readonly paging: Paging
  readonly totalCount: number
}

async function* wholeList<Row extends { id: string }>(
  source: ListSource<Row>,
  { reader, table, paging, totalCount }: WholeList,
): AsyncGenerator<string> {
  let separator = ''
  yield '{"data":['
  for await (const rows of allRows<Row>(reader, table, paging, source.columns)) {
    const shown = await source.show(rows)
    if (shown.length > 0) yield separator + shown.map(textOf).join(',')
    separator = ','
  }
  yield `],"meta":${JSON.stringify(listMeta(source.table, paging, totalCount))}}\n`
}
