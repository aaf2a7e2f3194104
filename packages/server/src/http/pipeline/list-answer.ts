import { Readable } from 'node:stream'
import { type Paging, type PagingOptions, resolvePaging } from '@countersign/core'
import { buildFilterOptions, type FilterTable } from '../../store/filter-to-sql.ts'
import { allRows, countRows, listRows } from '../../store/reads/list-rows.ts'
import type { Store } from '../../store/store.ts'
import type { Query } from './query.ts'
import type { Answer } from './route.ts'

/** A list that can be filtered, sorted and paged: its table and how a few of its rows are shown. */
export interface ListSource<Row> {
  readonly store: Store
  readonly table: FilterTable
  show(rows: readonly Row[]): Promise<unknown[]> | unknown[]
}

/** The answer to a list call. A page is read at once; a list without limit is sent while it is read. */
export async function listAnswer<Row extends { id: string }>(source: ListSource<Row>, query: Query): Promise<Answer> {
  const paging = resolvePaging(listParameters(query), optionsOf(source.table))
  if (paging.limit === 'none') return { status: 200, stream: Readable.from(wholeList(source, paging)) }
  const [rows, totalCount] = await Promise.all([
    listRows<Row>(source.store, source.table, paging),
    countRows(source.store, source.table, paging.predicate),
  ])
  return { status: 200, json: { data: await source.show(rows), meta: listMeta(source.table, paging, totalCount) } }
}

export function listParameters(query: Query) {
  return { filter: query.get('filter'), sort: query.get('sort'), limit: query.get('limit'), offset: query.get('offset') }
}

/** `limit` is -1 for a list without one. */
export function listMeta(table: FilterTable, { limit, offset }: Pick<Paging, 'limit' | 'offset'>, totalCount: number) {
  const pagination = { limit: limit === 'none' ? -1 : limit, offset, totalCount }
  return { filterableFields: [...table.columns.keys()], pagination }
}

const optionsByTable = new WeakMap<FilterTable, PagingOptions>()

function optionsOf(table: FilterTable): PagingOptions {
  let options = optionsByTable.get(table)
  if (!options) {
    options = buildFilterOptions(table)
    optionsByTable.set(table, options)
  }
  return options
}

async function* wholeList<Row extends { id: string }>(source: ListSource<Row>, paging: Paging): AsyncGenerator<string> {
  const totalCount = await countRows(source.store, source.table, paging.predicate)
  let separator = ''
  yield '{"data":['
  for await (const rows of allRows<Row>(source.store, source.table, paging)) {
    const shown = await source.show(rows)
    yield separator + shown.map((item) => JSON.stringify(item)).join(',')
    separator = ','
  }
  yield `],"meta":${JSON.stringify(listMeta(source.table, paging, totalCount))}}\n`
}
