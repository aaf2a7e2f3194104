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
import { idList } from '../id-list.ts'
import { Argument, bindArguments } from '../prepared.ts'
import { afterToSql, lastPositionToSql, positionToSql, type SortPosition } from '../sort-position.ts'
import { isInIdOrder, type ListReader, matching, type UseRows } from './list-reader.ts'

const MAX_ROW_BATCH = 500
/** The ids have about as many characters as a response may hold otherwise. To find the next ones, all rows after them are sorted. */
const MAX_HELD_IDS = 10_000

/** What a list reads of its rows, and does with them. */
export interface RowUse<Row, Result> {
  readonly columns: Columns
  readonly use: UseRows<Row, Result>
}

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

type QueryParts = Pick<ListReader, 'db' | 'dialect' | 'isLong' | 'now'>

export function buildPage<Row>(
  reader: QueryParts,
  table: FilterTable,
  paging: Paging,
  columns?: Columns,
  now: RequestTime | undefined = reader.now,
): CompiledQuery<Row> {
  const { db, dialect } = reader
  const name = sql.table(table.table)
  const matches = matching(reader, paging.predicate, table, now)
  const limit = paging.limit === 'none' ? sql`` : limitedTo(paging.limit, paging.offset)
  const { rows, order } = isInIdOrder(paging.sort)
    ? rowsInIdOrder(table, paging.sort)
    : { rows: name, order: sql` order by ${sql.join(sortToSql(sortTerms(paging.sort, table, dialect, now), dialect))}` }
  return sql<Row>`select ${selected(table, columns)} from ${rows} where ${matches}${order}${limit}`.compile(db)
}

/** Counting matches reads all of them; the number of all rows is maintained by triggers. */
export function buildCount(
  reader: QueryParts,
  table: FilterTable,
  predicate: Predicate,
  now: RequestTime | undefined = reader.now,
): CompiledQuery<{ total: number }> {
  const total =
    table.isCounted && matchesEveryRow(predicate)
      ? sql`total from row_counts where table_name = ${table.table}`
      : sql`count(*) as total from ${sql.table(table.table)} where ${matching(reader, predicate, table, now)}`
  return sql<{ total: number }>`select ${total}`.compile(reader.db)
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

/** What `use` makes of the rows of a page, and the total before paging, which `countAll` returns for a list without a filter. */
export async function readPage<Row, Result>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging & { readonly limit: number },
  { columns, countAll, use }: RowUse<Row, Result> & { readonly countAll?: (() => Promise<number>) | undefined },
): Promise<{ result: Result; totalCount: number }> {
  const { predicate, sort, limit, offset } = paging
  const build: BuildQuery<Row> = (shape, now) => buildPage(reader, table, { ...paging, predicate: shape }, columns, now)
  const { result, length } = await reader.read(
    () => findQuery(reader, table, predicate, build, { columns, sort, limit, offset }),
    async (rows: readonly Row[]) => ({ result: await use(rows), length: rows.length }),
  )
  const isLastPage = length < limit && (length > 0 || offset === 0)
  if (isLastPage) return { result, totalCount: offset + length }
  return { result, totalCount: await (countAll?.() ?? countRows(reader, table, predicate)) }
}

export function countRows(reader: ListReader, table: FilterTable, predicate: Predicate): Promise<number> {
  const build: BuildQuery<{ total: number }> = (shape, now) => buildCount(reader, table, shape, now)
  return reader.read(
    () => findQuery(reader, table, predicate, build),
    ([counted]) => counted?.total ?? 0,
  )
}

const MAX_CACHED = 500
const MAX_CACHED_KEY_LENGTH = 1_000

/** Compiled statements by table and shape: callers repeat the same queries with other values. */
const cachedQueries = new WeakMap<FilterTable, LruCache<string, CompiledQuery>>()

type BuildQuery<Row> = (shape: Predicate, now: Argument) => CompiledQuery<Row>

/** A statement with its arguments. Beside the predicate its text depends on `page`, which is undefined for a count. */
function findQuery<Row>(
  reader: ListReader,
  table: FilterTable,
  predicate: Predicate,
  build: BuildQuery<Row>,
  page?: Omit<Paging, 'predicate'> & { readonly columns: Columns },
): CompiledQuery<Row> {
  let queries = cachedQueries.get(table)
  if (!queries) {
    queries = createLruCache(MAX_CACHED)
    cachedQueries.set(table, queries)
  }
  const { shape, values } = splitPredicate(predicate)
  const key = JSON.stringify([reader.dialect, reader.isLong, shape, page])
  const known = queries.get(key) as CompiledQuery<Row> | undefined
  const query = known ?? build(shape, new Argument(values.length))
  if (!known && key.length <= MAX_CACHED_KEY_LENGTH) queries.set(key, query)
  return { ...query, parameters: bindArguments(query, [...values, reader.now]) }
}

/** The number of rows for the next batch, after `rows` of them had `length` characters: about `target`, and at most five times as many. */
export function nextRowBatch(rows: number, length: number, target: number): number {
  const fitting = Math.floor((rows * target) / Math.max(1, length))
  return Math.max(1, Math.min(fitting, rows * 5, MAX_ROW_BATCH))
}

/** What `use` makes of all matching rows in the requested order, a few hundred at a time, so that the whole list is never in memory. */
export async function* readAll<Row extends { id: string }, Result>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging,
  rowUse: RowUse<Row, Result>,
  batch: RowBatch,
): AsyncGenerator<Result> {
  const read = isInIdOrder(paging.sort) ? readInIdOrder<Row, Result> : readInOrder<Row, Result>
  yield* read(reader, table, paging, rowUse, batch)
}

async function* readInIdOrder<Row extends { id: string }, Result>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging,
  { columns, use }: RowUse<Row, Result>,
  batch: RowBatch,
) {
  const name = sql.table(table.table)
  const comesAfter = paging.sort[0]?.descending ? sql`<` : sql`>`
  let skip = paging.offset
  const buildNext = (size: number, last: string | undefined) => {
    const matches = matching(reader, paging.predicate, table)
    const { rows: found, order } = rowsInIdOrder(table, paging.sort, last)
    const isAfter = last === undefined ? sql`true` : sql`${name}.id ${comesAfter} ${last}`
    const next = sql<Row>`select ${selected(table, columns)} from ${found} where ${matches} and ${isAfter}
      ${order}${limitedTo(size, skip)}`
    return next.compile(reader.db)
  }
  let last: string | undefined
  do {
    const { rows: size } = batch
    const after = last
    const found = await reader.read(
      () => buildNext(size, after),
      async (rows: readonly Row[]) => ({
        last: rows.length < size ? undefined : rows.at(-1)?.id,
        result: rows.length === 0 ? undefined : await use(rows),
      }),
    )
    skip = 0
    if (found.result !== undefined) yield found.result
    last = found.last
  } while (last !== undefined)
}

/** Reads the next ids first and then the rows by id, because a sort for each few hundred rows would take too long. */
async function* readInOrder<Row extends { id: string }, Result>(
  reader: ListReader,
  table: FilterTable,
  paging: Paging,
  rowUse: RowUse<Row, Result>,
  batch: RowBatch,
) {
  const size = batch.ids ?? MAX_HELD_IDS
  let offset = paging.offset
  let last: SortedId | undefined
  do {
    const found = await readIds(reader, table, { ...paging, limit: size, offset }, last)
    offset = 0
    last = found.last
    yield* readByIds(reader, table, { ids: found.ids, predicate: paging.predicate }, rowUse, batch)
  } while (last)
}

type SortedId = { readonly id: string } & SortPosition

/** The next ids in the requested order, and the position of the last one, unless there are no more. */
function readIds(
  reader: ListReader,
  table: FilterTable,
  { predicate, sort, limit, offset }: Paging & { readonly limit: number },
  after: SortPosition | undefined,
) {
  const name = sql.table(table.table)
  const terms = sortTerms(sort, table, reader.dialect, reader.now)
  const order = sql.join(sortToSql(terms, reader.dialect))
  const isAfter = after ? afterToSql(terms, after) : sql`true`
  const build = () => {
    const next = sql`select ${sql.join([sql`${name}.id as id`, ...positionToSql(terms)])} from ${name}
      where ${isAfter} and ${matching(reader, predicate, table)} order by ${order}${limitedTo(limit, offset)}`
    const ids = sql<SortedId>`select ${sql.join([sql`id`, ...lastPositionToSql(terms, limit)])} from (${next}) as part`
    return ids.compile(reader.db)
  }
  return reader.read(build, (rows) => ({
    ids: rows.map(({ id }) => id),
    last: rows.length < limit ? undefined : rows.at(-1),
  }))
}

/** What `use` makes of the rows with these ids that match, in the order of the ids, a batch at a time. */
export async function* readByIds<Row extends { id: string }, Result>(
  reader: ListReader,
  table: FilterTable,
  { ids, predicate }: { readonly ids: readonly string[]; readonly predicate?: Predicate },
  { columns, use }: RowUse<Row, Result>,
  batch: RowBatch,
): AsyncGenerator<Result> {
  const name = sql.table(table.table)
  for (let start = 0; start < ids.length; ) {
    const next = ids.slice(start, start + batch.rows)
    start += next.length
    const build = () => {
      const matches = predicate ? matching(reader, predicate, table) : sql`true`
      const { isIn } = idList(reader.dialect, next)
      const byIds = sql<Row>`select ${selected(table, columns)} from ${name} where ${name}.id ${isIn} and ${matches}`
      return byIds.compile(reader.db)
    }
    yield await reader.read(build, (rows) => {
      const byId = new Map(rows.map((row) => [row.id, row]))
      return use(next.flatMap((id) => byId.get(id) ?? []))
    })
  }
}
