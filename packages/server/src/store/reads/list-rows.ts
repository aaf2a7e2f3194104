import {
  createLruCache,
  type LruCache,
  matchesEveryRow,
  type Paging,
  type Predicate,
  type SortField,
} from '@countersign/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { splitPredicate } from '../filter-shape.ts'
import { type FilterTable, type RequestTime, sortTerms, sortToSql } from '../filter-to-sql.ts'
import { Argument } from '../prepared.ts'
import { afterToSql, lastPositionToSql, positionToSql, type SortPosition } from '../sort-position.ts'
import { isInIdOrder, type ListReader, matching } from './list-reader.ts'

const MAX_ROW_BATCH = 500
/** The ids have about as many characters as a response may hold otherwise. To find the next ones, all rows after them are sorted. */
const MAX_HELD_IDS = 10_000

/** How much of a list is read at a time. */
export interface RowBatch {
  /** The reader of the rows lowers it when they are large. */
  rows: number
  /** In another order than by id, for which ids are read before rows; 10,000 unless given. */
  readonly ids?: number
}

/** The columns to read; undefined for all. */
export type Columns = readonly string[] | undefined

function selected({ table }: FilterTable, columns: Columns): RawBuilder<unknown> {
  if (!columns) return sql`${sql.table(table)}.*`
  return sql.join(columns.map((column) => sql.ref(`${table}.${column}`)))
}

/** The statements behind one list call. */
export interface ListQueries<Row> {
  readonly page: CompiledQuery<Row>
  readonly count: CompiledQuery<{ total: number }>
}

export function buildListQueries<Row>(
  reader: Pick<ListReader, 'db' | 'dialect' | 'isLong' | 'now'>,
  table: FilterTable,
  paging: Paging,
  columns?: Columns,
  now: RequestTime | undefined = reader.now,
): ListQueries<Row> {
  const { db, dialect } = reader
  const name = sql.table(table.table)
  const matches = matching(reader, paging.predicate, table, now)
  const limit = paging.limit === 'none' ? sql`` : limitedTo(paging.limit, paging.offset)
  const { rows, order } = isInIdOrder(paging.sort)
    ? rowsInIdOrder(table, paging.sort)
    : { rows: name, order: sql` order by ${sql.join(sortToSql(sortTerms(paging.sort, table, dialect, now), dialect))}` }
  return {
    page: sql<Row>`select ${selected(table, columns)} from ${rows} where ${matches}${order}${limit}`.compile(db),
    count: buildCount(table, paging, matches).compile(db),
  }
}

/** What to select from, and the order, to read all rows in order of id, or those after an id. */
function rowsInIdOrder({ table, inIdOrder }: FilterTable, [first]: readonly SortField[], after?: string) {
  const name = sql.table(table)
  const descending = first?.descending === true
  if (inIdOrder) return { rows: sql`(${inIdOrder({ descending, after })}) as ${name}`, order: sql`` }
  return { rows: name, order: sql` order by ${name}.id ${descending ? sql`desc` : sql`asc`}` }
}

/** Cast, because SQLite re-prepares a statement for each value of a bare placeholder there. */
function limitedTo(limit: number, offset: number): RawBuilder<unknown> {
  return sql` limit cast(${limit} as integer) offset cast(${offset} as integer)`
}

/** Counting matches reads all of them; the number of all rows is maintained by triggers. */
function buildCount(
  { table, isCounted }: FilterTable,
  { predicate }: Paging,
  matches: RawBuilder<boolean>,
): RawBuilder<{ total: number }> {
  if (isCounted && matchesEveryRow(predicate)) return sql`select total from row_counts where table_name = ${table}`
  return sql`select count(*) as total from ${sql.table(table)} where ${matches}`
}

/** One page of a list and the total before paging, which `countAll` returns for a list without a filter. */
export async function listPage<Row>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging & { readonly limit: number },
  columns?: Columns,
  countAll?: () => Promise<number>,
): Promise<{ rows: Row[]; totalCount: number }> {
  const { shape, values: compared } = splitPredicate(paging.predicate)
  const values = [...compared, reader.now]
  const now = new Argument(compared.length)
  const { page, count } = findListQueries<Row>(reader, table, { ...paging, predicate: shape }, columns, now)
  const rows = await reader.read(page, values)
  const { limit, offset } = paging
  const isLastPage = rows.length < limit && (rows.length > 0 || offset === 0)
  if (isLastPage) return { rows, totalCount: offset + rows.length }
  if (countAll) return { rows, totalCount: await countAll() }
  const [counted] = await reader.read(count, values)
  return { rows, totalCount: counted?.total ?? 0 }
}

const MAX_CACHED = 500
const MAX_CACHED_KEY_LENGTH = 1_000

/** Compiled statements by table and shape: callers repeat the same queries with other values. */
const cachedQueries = new WeakMap<FilterTable, LruCache<string, ListQueries<unknown>>>()

function findListQueries<Row>(
  reader: ListReader,
  table: FilterTable,
  { predicate, sort, limit, offset }: Paging,
  columns: Columns,
  now: Argument,
): ListQueries<Row> {
  let queries = cachedQueries.get(table)
  if (!queries) {
    queries = createLruCache(MAX_CACHED)
    cachedQueries.set(table, queries)
  }
  const key = JSON.stringify([reader.dialect, reader.isLong, columns, predicate, sort, limit, offset])
  const known = queries.get(key)
  if (known) return known as ListQueries<Row>
  const built = buildListQueries<Row>(reader, table, { predicate, sort, limit, offset }, columns, now)
  if (key.length <= MAX_CACHED_KEY_LENGTH) queries.set(key, built)
  return built
}

export async function countRows(reader: ListReader, table: FilterTable, paging: Paging): Promise<number> {
  const [counted] = await reader.read(buildListQueries(reader, table, paging).count)
  return counted?.total ?? 0
}

/** The number of rows for the next batch, after `rows` of them had `length` characters: about `target`, and at most five times as many. */
export function nextRowBatch(rows: number, length: number, target: number): number {
  const fitting = Math.floor((rows * target) / Math.max(1, length))
  return Math.max(1, Math.min(fitting, rows * 5, MAX_ROW_BATCH))
}

/** All matching rows in the requested order, a few hundred at a time, so that the whole list is never in memory. */
export async function* allRows<Row extends { id: string }>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging,
  columns: Columns,
  batch: RowBatch,
): AsyncGenerator<Row[]> {
  const read = isInIdOrder(paging.sort) ? rowsById<Row> : rowsInOrder<Row>
  yield* read(reader, table, paging, columns, batch)
}

async function* rowsById<Row extends { id: string }>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging,
  columns: Columns,
  batch: RowBatch,
) {
  const name = sql.table(table.table)
  const matches = matching(reader, paging.predicate, table)
  const comesAfter = paging.sort[0]?.descending ? sql`<` : sql`>`
  let last: Row | undefined
  let skip = paging.offset
  for (;;) {
    const { rows: size } = batch
    const { rows: found, order } = rowsInIdOrder(table, paging.sort, last?.id)
    const isAfter = last ? sql`${name}.id ${comesAfter} ${last.id}` : sql`true`
    const next = sql<Row>`select ${selected(table, columns)} from ${found} where ${matches} and ${isAfter}
      ${order}${limitedTo(size, skip)}`
    const rows = await reader.read(next.compile(reader.db))
    skip = 0
    if (rows.length > 0) yield rows
    last = rows.at(-1)
    if (!last || rows.length < size) return
  }
}

/** Reads the next ids first and then the rows by id, because a sort for each few hundred rows would take too long. */
async function* rowsInOrder<Row extends { id: string }>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging,
  columns: Columns,
  batch: RowBatch,
) {
  const size = batch.ids ?? MAX_HELD_IDS
  let offset = paging.offset
  let last: SortedId | undefined
  do {
    const found = await readIds(reader, table, { ...paging, limit: size, offset }, last)
    offset = 0
    last = found.last
    for (let start = 0; start < found.ids.length; ) {
      const ids = found.ids.slice(start, start + batch.rows)
      start += ids.length
      yield await rowsByIds<Row>(reader, table, ids, columns, paging.predicate)
    }
  } while (last)
}

type SortedId = { readonly id: string } & SortPosition

/** The next ids in the requested order, and the position of the last one, unless there are no more. */
async function readIds(
  reader: ListReader,
  table: FilterTable,
  { predicate, sort, limit, offset }: Paging & { readonly limit: number },
  after: SortPosition | undefined,
) {
  const name = sql.table(table.table)
  const terms = sortTerms(sort, table, reader.dialect, reader.now)
  const order = sql.join(sortToSql(terms, reader.dialect))
  const isAfter = after ? afterToSql(terms, after) : sql`true`
  const next = sql`select ${sql.join([sql`${name}.id as id`, ...positionToSql(terms)])} from ${name}
    where ${isAfter} and ${matching(reader, predicate, table)} order by ${order}${limitedTo(limit, offset)}`
  const ids = sql<SortedId>`select ${sql.join([sql`id`, ...lastPositionToSql(terms, limit)])} from (${next}) as part`
  const rows = await reader.read(ids.compile(reader.db))
  return { ids: rows.map(({ id }) => id), last: rows.length < limit ? undefined : rows.at(-1) }
}

/** The rows with these ids that match, in the order of the ids. */
export async function rowsByIds<Row extends { id: string }>(
  reader: ListReader,
  table: FilterTable,
  ids: readonly string[],
  columns: Columns,
  predicate?: Predicate,
): Promise<Row[]> {
  const name = sql.table(table.table)
  const matches = predicate ? matching(reader, predicate, table) : sql`true`
  const byIds = sql<Row>`select ${selected(table, columns)} from ${name} where ${name}.id in (${sql.join(ids)}) and ${matches}`
  const rows = await reader.read(byIds.compile(reader.db))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
