import { Readable } from 'node:stream'
import { BoundedCache, type Paging, type PagingOptions, resolvePaging } from '@countersign/core'
import { buildFilterOptions, type FilterTable } from '../../store/filter-to-sql.ts'
import { allRows, buildListQueries, countRows, type ListQueries, runListQueries } from '../../store/reads/list-rows.ts'
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
  const { paging, queries } = planList(source, query)
  if (paging.limit === 'none') return { status: 200, stream: Readable.from(wholeList(source, paging)) }
  const { rows, totalCount } = await runListQueries(source.store, queries as ListQueries<Row>)
  return { status: 200, json: { data: await source.show(rows), meta: listMeta(source.table, paging, totalCount) } }
}

interface ListPlan {
  readonly paging: Paging
  readonly queries: ListQueries<unknown>
}

const MAX_REMEMBERED_PLANS = 500
const MAX_REMEMBERED_WORDS = 512

/** Callers ask for the same pages over and over: parsing their words and putting the statements together is done once. */
const plansOf = new WeakMap<Store, BoundedCache<string, ListPlan>>()

function planList<Row>({ store, table }: ListSource<Row>, query: Query): ListPlan {
  let plans = plansOf.get(store)
  if (!plans) {
    plans = new BoundedCache(MAX_REMEMBERED_PLANS)
    plansOf.set(store, plans)
  }
  const parameters = listParameters(query)
  const words = JSON.stringify([table.table, parameters])
  const known = plans.get(words)
  if (known) return known
  const paging = resolvePaging(parameters, optionsOf(table))
  const plan = { paging, queries: buildListQueries(store, table, paging) }
  if (words.length <= MAX_REMEMBERED_WORDS) plans.set(words, plan)
  return plan
}

export function listParameters(query: Query) {
  return {
    filter: query.get('filter'),
    sort: query.get('sort'),
    limit: query.get('limit'),
    offset: query.get('offset'),
  }
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
  const totalCount = await countRows(source.store, source.table, paging)
  let separator = ''
  yield '{"data":['
  for await (const rows of allRows<Row>(source.store, source.table, paging)) {
    const shown = await source.show(rows)
    yield separator + shown.map((item) => JSON.stringify(item)).join(',')
    separator = ','
  }
  yield `],"meta":${JSON.stringify(listMeta(source.table, paging, totalCount))}}\n`
}
