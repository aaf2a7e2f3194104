import { createLruCache, type LruCache, matchesEveryRow, type Paging } from '@countersign/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { splitPredicate } from '../filter-shape.ts'
import { type FilterTable, sortToSql } from '../filter-to-sql.ts'
import { type ListReader, matching } from './list-reader.ts'

const ROW_BATCH = 500

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
  reader: Pick<ListReader, 'db' | 'dialect' | 'isLong'>,
  table: FilterTable,
  paging: Paging,
  columns?: Columns,
): ListQueries<Row> {
  const { db, dialect } = reader
  const name = sql.table(table.table)
  const matches = matching(reader, paging.predicate, table)
  const order = sql.join(sortToSql(paging.sort, table, dialect))
  const limit = paging.limit === 'none' ? sql`` : limitedTo(paging.limit, paging.offset)
  return {
    page: sql<Row>`select ${selected(table, columns)} from ${name} where ${matches} order by ${order}${limit}`.compile(
      db,
    ),
    count: buildCount(table, paging, matches).compile(db),
  }
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
  const { shape, values } = splitPredicate(paging.predicate)
  const { page, count } = findListQueries<Row>(reader, table, { ...paging, predicate: shape }, columns)
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
): ListQueries<Row> {
  let queries = cachedQueries.get(table)
  if (!queries) {
    queries = createLruCache(MAX_CACHED)
    cachedQueries.set(table, queries)
  }
  const key = JSON.stringify([reader.dialect, reader.isLong, columns, predicate, sort, limit, offset])
  const known = queries.get(key)
  if (known) return known as ListQueries<Row>
  const built = buildListQueries<Row>(reader, table, { predicate, sort, limit, offset }, columns)
  if (key.length <= MAX_CACHED_KEY_LENGTH) queries.set(key, built)
  return built
}

export async function countRows(reader: ListReader, table: FilterTable, paging: Paging): Promise<number> {
  const [counted] = await reader.read(buildListQueries(reader, table, paging).count)
  return counted?.total ?? 0
}

/** All matching rows in the requested order, a few hundred at a time, so that the whole list is never in memory. */
export async function* allRows<Row extends { id: string }>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging,
  columns?: Columns,
): AsyncGenerator<Row[]> {
  const isInIdOrder = paging.sort.length === 1 && paging.sort[0]?.symbol === 'id' && !paging.sort[0].descending
  yield* isInIdOrder ? rowsById<Row>(reader, table, paging, columns) : rowsInOrder<Row>(reader, table, paging, columns)
}

async function* rowsById<Row extends { id: string }>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging,
  columns: Columns,
) {
  const name = sql.table(table.table)
  const matches = matching(reader, paging.predicate, table)
  let after: RawBuilder<unknown> = sql`true`
  let skip = paging.offset
  for (;;) {
    const next = sql<Row>`select ${selected(table, columns)} from ${name} where ${matches} and ${after}
      order by ${name}.id${limitedTo(ROW_BATCH, skip)}`
    const rows = await reader.read(next.compile(reader.db))
    skip = 0
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < ROW_BATCH) return
    after = sql`${name}.id > ${last.id}`
  }
}

/** Reads the ids first and then the rows by id: only the order by id can continue after a row. */
async function* rowsInOrder<Row extends { id: string }>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging,
  columns: Columns,
) {
  const name = sql.table(table.table)
  const order = sql.join(sortToSql(paging.sort, table, reader.dialect))
  const matches = matching(reader, paging.predicate, table)
  const matched = sql<{ id: string }>`select ${name}.id from ${name} where ${matches} order by ${order}`
  const found = await reader.read(matched.compile(reader.db))
  for (let start = paging.offset; start < found.length; start += ROW_BATCH) {
    const ids = found.slice(start, start + ROW_BATCH).map(({ id }) => id)
    yield await rowsByIds<Row>(reader, table, ids, columns)
  }
}

async function rowsByIds<Row extends { id: string }>(
  reader: ListReader,
  table: FilterTable,
  ids: readonly string[],
  columns: Columns,
): Promise<Row[]> {
  const name = sql.table(table.table)
  const byIds = sql<Row>`select ${selected(table, columns)} from ${name} where ${name}.id in (${sql.join(ids)})`
  const rows = await reader.read(byIds.compile(reader.db))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}
