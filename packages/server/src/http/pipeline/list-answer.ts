import { Readable } from 'node:stream'
import { isEverything, type Paging, type PagingOptions, type Predicate, resolvePaging } from '@countersign/core'
import { buildFilterOptions, type FilterTable } from '../../store/filter-to-sql.ts'
import { allRows, type Columns, countRows, listPage } from '../../store/reads/list-rows.ts'
import type { Store } from '../../store/store.ts'
import type { Query } from './query.ts'
import type { Answer } from './route.ts'

/** A list that can be filtered, sorted and paged: its table and how a few of its rows are shown. */
export interface ListSource<Row> {
  readonly store: Store
  readonly table: FilterTable
  /** What `show` needs of a row; everything unless given. */
  readonly columns?: Columns
  /** The part of the table that this caller may see; all of it unless given. */
  readonly within?: Within
  /** How many rows there are for a caller who asks for no part of them, where counting them is dear. */
  readonly countAll?: (() => Promise<number>) | undefined
  /** The rows as they leave, each as a value or as its JSON text. */
  show(rows: readonly Row[]): Promise<readonly unknown[]> | readonly unknown[]
}

/** The part of a table that a list shows, whatever the caller asks for; `table` may know symbols that callers do not. */
export interface Within {
  readonly table: FilterTable
  readonly predicate: Predicate
}

/** The answer to a list call. A page is read at once; a list without limit is sent while it is read. */
export async function listAnswer<Row extends { id: string }>(source: ListSource<Row>, query: Query): Promise<Answer> {
  const { store, columns, within } = source
  const asked = resolvePaging(listParameters(query), optionsOf(source.table))
  const table = within?.table ?? source.table
  const paging = within ? { ...asked, predicate: both(within.predicate, asked.predicate) } : asked
  const { limit } = paging
  if (limit === 'none') return { status: 200, stream: Readable.from(wholeList(source, table, paging)) }
  const countAll = isEverything(asked.predicate) ? source.countAll : undefined
  const { rows, totalCount } = await listPage<Row>(store, table, { ...paging, limit }, columns, countAll)
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

/** `limit` is -1 for a list without one. */
export function paginationOf({ limit, offset }: Pick<Paging, 'limit' | 'offset'>, totalCount: number) {
  return { limit: limit === 'none' ? -1 : limit, offset, totalCount }
}

const optionsByTable = new WeakMap<FilterTable, PagingOptions>()

function optionsOf(table: FilterTable): PagingOptions {
  let options = optionsByTable.get(table)
  if (!options) {
    options = { ...buildFilterOptions(table), ...(table.isWholeByDefault && { defaultLimit: 'none' }) }
    optionsByTable.set(table, options)
  }
  return options
}

async function* wholeList<Row extends { id: string }>(
  source: ListSource<Row>,
  table: FilterTable,
  paging: Paging,
): AsyncGenerator<string> {
  const totalCount = await countRows(source.store, table, paging)
  let separator = ''
  yield '{"data":['
  for await (const rows of allRows<Row>(source.store, table, paging, source.columns)) {
    const shown = await source.show(rows)
    if (shown.length > 0) yield separator + shown.map(textOf).join(',')
    separator = ','
  }
  yield `],"meta":${JSON.stringify(listMeta(source.table, paging, totalCount))}}\n`
}
