import { filterCost, type Paging, type Predicate, type SortField } from '@countersign/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { type FilterTable, isComputed, predicateToSql, type RequestTime } from '../filter-to-sql.ts'
import { runPrepared } from '../prepared.ts'
import { WITHIN_DEADLINE } from '../sqlite/within-deadline.ts'
import type { Store } from '../store.ts'

/** Runs the statements of a list: on this thread, or as reads that may take long. */
export interface ListReader extends Pick<Store, 'db' | 'dialect'> {
  readonly isLong: boolean
  /** The time of the request, for symbols that depend on it. */
  readonly now?: number | undefined
  /**
   * Returns what `use` makes of the rows. Both are called when it is the list's turn: building a query with a long filter takes milliseconds, and rows
   * may be large, so that few are in memory before they are used.
   */
  read<Row, Result>(build: () => CompiledQuery<Row>, use: UseRows<Row, Result>): Promise<Result>
}

export type UseRows<Row, Result> = (rows: readonly Row[]) => Result | Promise<Result>

interface ReaderOptions {
  /** Under what long reads take turns, as for `readLong`. */
  readonly caller: string
  readonly member?: string
  readonly isLong: boolean
  readonly now?: number | undefined
  /** Runs what takes this thread time: building queries, reads that are not long, and the use of rows. At once by default. */
  readonly turn?: (<Result>(step: () => Promise<Result>) => Promise<Result>) | undefined
}

export function createListReader(
  store: Pick<Store, 'db' | 'dialect' | 'readLong'>,
  { caller, member, isLong, now, turn = (step) => step() }: ReaderOptions,
): ListReader {
  const { db, dialect } = store
  const read: ListReader['read'] = async (build, use) => {
    if (!isLong) return turn(async () => use(await runPrepared(db, build(), [])))
    const rows = await store.readLong(caller, await turn(async () => build()), member)
    return turn(async () => use(rows))
  }
  return { db, dialect, isLong, now, read }
}

/** A condition that always holds. In a long read of the embedded database it checks the deadline at each row. */
export function withinDeadline({ dialect }: Pick<Store, 'dialect'>): RawBuilder<boolean> {
  return dialect === 'sqlite' ? sql`${sql.raw(WITHIN_DEADLINE)}()` : sql`true`
}

/** The condition of a list. */
export function matching(
  reader: Pick<ListReader, 'dialect' | 'isLong' | 'now'>,
  predicate: Predicate,
  table: FilterTable,
  now: RequestTime | undefined = reader.now,
): RawBuilder<boolean> {
  const matches = predicateToSql(predicate, table, reader.dialect, now)
  return reader.isLong ? sql`${withinDeadline(reader)} and ${matches}` : matches
}

/** The rows before the page are read too. */
const MAX_SHORT_OFFSET = 10_000

/** Rows that an index finds times the cost of the filter. A list of this much work takes the serving thread about 20 ms. */
const MAX_SHORT_WORK = 5_000
/** The default of `session.maxPerIdentity`. */
const SHARED_ROWS = 1_000

/**
 * Whether a list may take longer than the serving thread can be busy with it: no index finds the rows, evaluating the filter for them is much work, no
 * index has their order, the page is far from the start, or all rows are sorted.
 */
export function mayTakeLong({ predicate, sort, limit, offset }: Paging, table: FilterTable): boolean {
  if (offset > MAX_SHORT_OFFSET) return true
  if (limit === 'none' && !isInIdOrder(sort)) return true
  if (isEveryRow(predicate)) return !isIndexOrder(sort, table)
  if (hasMembers(predicate) || sort.some(({ symbol }) => isComputed(symbol, table))) return true
  const cost = filterCost(predicate, { isComputed: (symbol) => isComputed(symbol, table) })
  return rowsFound(predicate, table) * Math.max(1, cost) > MAX_SHORT_WORK
}

function isEveryRow(predicate: Predicate): boolean {
  if (predicate.kind === 'and') return predicate.terms.every(isEveryRow)
  return predicate.kind === 'constant' && predicate.value
}

export function isInIdOrder([first]: readonly SortField[]): boolean {
  return first?.symbol === 'id'
}

function isIndexOrder([first]: readonly SortField[], table: FilterTable): boolean {
  return first !== undefined && Number.isFinite(rowsWithValue(first.symbol, table))
}

/** Whether a term is about the members of a set: all members with a value are read, of whichever rows. */
function hasMembers(predicate: Predicate): boolean {
  switch (predicate.kind) {
    case 'and':
    case 'or':
      return predicate.terms.some(hasMembers)
    case 'not':
      return hasMembers(predicate.term)
    default:
      return predicate.kind === 'anyOf'
  }
}

/** How many rows an index finds for which the predicate is then evaluated; infinite when none does. */
function rowsFound(predicate: Predicate, table: FilterTable): number {
  switch (predicate.kind) {
    case 'and':
      return Math.min(...predicate.terms.map((term) => rowsFound(term, table)))
    case 'or':
      return predicate.terms.reduce((sum, term) => sum + rowsFound(term, table), 0)
    case 'comparison': {
      const { comparison } = predicate
      const { kind, operand, negated } = comparison
      if (negated || operand.kind !== 'symbol' || (kind !== 'equal' && kind !== 'in')) return Number.POSITIVE_INFINITY
      return rowsWithValue(operand.symbol, table) * (kind === 'in' ? Math.max(1, comparison.values.length) : 1)
    }
    default:
      return Number.POSITIVE_INFINITY
  }
}

function rowsWithValue(symbol: string, { indexed = [], shared = [], inIdOrder }: FilterTable): number {
  if (inIdOrder) return Number.POSITIVE_INFINITY
  if (symbol === 'id' || indexed.includes(symbol)) return 1
  return shared.includes(symbol) ? SHARED_ROWS : Number.POSITIVE_INFINITY
}
