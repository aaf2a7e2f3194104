import type { Predicate } from '@countersign/core'
import type { FilterTable } from '../../store/filter-to-sql.ts'
import type { Columns } from '../../store/reads/list-rows.ts'
import type { Store } from '../../store/store.ts'

/** A list that can be filtered, sorted and paged. */
export interface ListSource<Row> {
  readonly store: Store
  readonly table: FilterTable
  /** The columns that `show` needs; all unless given. */
  readonly columns?: Columns
  /** The rows that the list may contain; all unless given. */
  readonly within?: Within
  /** The time of the request, for symbols that depend on it. */
  readonly now?: number
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
