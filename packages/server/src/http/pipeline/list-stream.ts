import type { Paging } from '@countersign/core'
import type { FilterTable } from '../../store/filter-to-sql.ts'
import { createListReader, type ListReader } from '../../store/reads/list-reader.ts'
import { allRows, nextRowBatch, type RowBatch, rowsByIds } from '../../store/reads/list-rows.ts'
import type { ListSource } from './list-source.ts'
import type { ListTurn } from './list-turns.ts'

/** Characters of a list that a response holds in memory for a client that does not read. */
export const MAX_HELD = 262_144
/** A client has this long to read a larger page before the rest of it is read again. */
const HELD_MS = 1_000
const FIRST_ROWS = 20

interface ListStream {
  readonly table: FilterTable
  readonly end: string
  readonly turn: ListTurn
  /** Called for each batch after its rows are read. Rejects when they may no longer be shown to the caller. */
  recheckCaller(): Promise<void>
}

/** The JSON texts of rows. */
export function showRows<Row>(source: ListSource<Row>, rows: readonly Row[], turn: ListTurn): Promise<string[]> {
  return turn(async () => (await source.show(rows)).map(textOf))
}

function textOf(shown: unknown): string {
  return typeof shown === 'string' ? shown : JSON.stringify(shown)
}

interface LargePage extends ListStream {
  readonly ids: readonly string[]
  /** The texts of the rows, until they are dropped. */
  shown: readonly string[] | undefined
}

/** Sends a page while the client reads it. The texts are dropped after a second, and the rows that the client has not read by then are read again. */
export async function* largePage<Row extends { id: string }>(
  source: ListSource<Row>,
  page: LargePage,
): AsyncGenerator<string> {
  const { store, columns, within } = source
  // By id, which is never long.
  const { turn } = page
  const reader = createListReader(store, { caller: '', isLong: false, now: source.now, turn })
  const timer = setTimeout(() => {
    page.shown = undefined
  }, HELD_MS)
  try {
    let separator = ''
    let sent = 0
    let size = nextRowBatch(page.ids.length, lengthOf(page.shown ?? []), MAX_HELD)
    yield '{"data":['
    while (sent < page.ids.length) {
      const ids = page.ids.slice(sent, sent + size)
      const texts =
        page.shown?.slice(sent, sent + size) ??
        (await showRows(source, await rowsByIds<Row>(reader, page.table, ids, columns, within?.predicate), turn))
      sent += ids.length
      size = nextRowBatch(ids.length, lengthOf(texts), MAX_HELD)
      if (texts.length === 0) continue
      await page.recheckCaller()
      yield separator + texts.join(',')
      separator = ','
    }
    yield page.end
  } finally {
    clearTimeout(timer)
  }
}

export function lengthOf(texts: readonly string[]): number {
  return texts.reduce((length, text) => length + text.length, 0)
}

interface WholeList extends ListStream {
  readonly reader: ListReader
  readonly paging: Paging
}

/** Sends all rows of a list while they are read. */
export async function* wholeList<Row extends { id: string }>(
  source: ListSource<Row>,
  { reader, table, paging, end, turn, recheckCaller }: WholeList,
): AsyncGenerator<string> {
  let separator = ''
  const batch: RowBatch = { rows: FIRST_ROWS }
  yield '{"data":['
  for await (const rows of allRows<Row>(reader, table, paging, source.columns, batch)) {
    const shown = (await showRows(source, rows, turn)).join(',')
    batch.rows = nextRowBatch(rows.length, shown.length, MAX_HELD)
    if (shown === '') continue
    await recheckCaller()
    yield separator + shown
    separator = ','
  }
  yield end
}
