import type { Paging, Predicate, SortField } from '@countersign/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { type FilterTable, predicateToSql } from '../filter-to-sql.ts'
import { bindArguments, runPrepared } from '../prepared.ts'
import { WITHIN_DEADLINE } from '../sqlite/within-deadline.ts'
import type { Store } from '../store.ts'

/** Runs the statements of a list: on this thread, or as reads that may take long. */
export interface ListReader extends Pick<Store, 'db' | 'dialect'> {
  readonly isLong: boolean
  /** `values` take the place of the query's arguments. */
  read<Row>(query: CompiledQuery<Row>, values?: readonly unknown[]): Promise<Row[]>
}

/** `caller` is the key under which long reads take turns. */
export function createListReader(
  store: Pick<Store, 'db' | 'dialect' | 'readLong'>,
  { caller, isLong }: { readonly caller: string; readonly isLong: boolean },
): ListReader {
  const { db, dialect } = store
  if (!isLong) return { db, dialect, isLong, read: (query, values = []) => runPrepared(db, query, values) }
  const read: ListReader['read'] = (query, values = []) =>
    store.readLong(caller, { ...query, parameters: bindArguments(query, values) })
  return { db, dialect, isLong, read }
}

/** A condition that always holds. In a long read of the embedded database it checks the deadline at each row. */
export function withinDeadline({ dialect }: Pick<Store, 'dialect'>): RawBuilder<boolean> {
  return dialect === 'sqlite' ? sql`${sql.raw(WITHIN_DEADLINE)}()` : sql`true`
}

/** The condition of a list. */
export function matching(
  reader: Pick<ListReader, 'dialect' | 'isLong'>,
  predicate: Predicate,
  table: FilterTable,
): RawBuilder<boolean> {
  const matches = predicateToSql(predicate, table, reader.dialect)
  return reader.isLong ? sql`${withinDeadline(reader)} and ${matches}` : matches
}

/** The rows before the page are read too. */
const MAX_SHORT_OFFSET = 10_000

/** Whether the time for a list grows with the table: no index finds the rows, none has their order, or the page is far from the start. */
export function mayTakeLong(
  { predicate, sort, offset }: Pick<Paging, 'predicate' | 'sort' | 'offset'>,
  table: FilterTable,
): boolean {
  if (offset > MAX_SHORT_OFFSET) return true
  return isEveryRow(predicate) ? !isIndexOrder(sort, table) : !isFoundByIndex(predicate, table)
}

function isEveryRow(predicate: Predicate): boolean {
  if (predicate.kind === 'and') return predicate.terms.every(isEveryRow)
  return predicate.kind === 'constant' && predicate.value
}

function isIndexOrder([first]: readonly SortField[], table: FilterTable): boolean {
  return first !== undefined && isIndexed(first.symbol, table)
}

function isFoundByIndex(predicate: Predicate, table: FilterTable): boolean {
  switch (predicate.kind) {
    case 'and':
      return predicate.terms.some((term) => isFoundByIndex(term, table))
    case 'or':
      return predicate.terms.every((term) => isFoundByIndex(term, table))
    case 'comparison': {
      const { kind, operand, negated } = predicate.comparison
      if (negated || (kind !== 'equal' && kind !== 'in')) return false
      return operand.kind === 'symbol' && isIndexed(operand.symbol, table)
    }
    default:
      return false
  }
}

function isIndexed(symbol: string, { indexed = [] }: FilterTable): boolean {
  return symbol === 'id' || indexed.includes(symbol)
}
