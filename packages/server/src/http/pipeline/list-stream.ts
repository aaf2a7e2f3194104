import type { Paging } from '@countersign/core'
import type { FilterTable } from '../../store/filter-to-sql.ts'
import type { ListReader } from '../../store/reads/list-reader.ts'
import { nextRowBatch, type RowBatch, type RowUse, readAll, readByIds } from '../../store/reads/list-rows.ts'
import type { ListSource } from './list-source.ts'

/** Characters of a list that a response holds in memory for a client that does not read. */
export const MAX_HELD = 262_144
/** Rows are as large as the API permits until some are read. */
export const FIRST_ROWS = 10

interface ListText {
  /** The text after the last row. */
  readonly end: string
  /** Called for each batch after its rows are read. Rejects when they may no longer be shown to the caller. */
  recheckCaller(): Promise<void>
}

/** The text of a list of these rows. */
export async function* listText(
  batches: AsyncIterable<readonly string[]>,
  { end, recheckCaller }: ListText,
): AsyncGenerator<string> {
  let separator = ''
  yield '{"data":['
  for await (const texts of batches) {
    if (texts.length === 0) continue
    await recheckCaller()
    yield separator + texts.join(',')
    separator = ','
  }
  yield end
}

/** Shows rows as JSON texts. */
export function showing<Row>({ columns, show }: ListSource<Row>): RowUse<Row, string[]> {
  return { columns, use: async (rows) => (await show(rows)).map(textOf) }
}

function textOf(shown: unknown): string {
  return typeof shown === 'string' ? shown : JSON.stringify(shown)
}

/** The texts of the rows with these ids, while they are read. They are not compared with `within` again, which can take long even for one id. */
export function textsByIds<Row extends { id: string }>(
  source: ListSource<Row>,
  { reader, ids }: { readonly reader: ListReader; readonly ids: readonly string[] },
): AsyncGenerator<string[]> {
  const batch: RowBatch = { rows: FIRST_ROWS }
  return fitted(readByIds(reader, source.table, { ids }, showing(source), batch), batch)
}

/** The texts of all rows of a list, while they are read. */
export function allTexts<Row extends { id: string }>(
  source: ListSource<Row>,
  { reader, table, paging }: { readonly reader: ListReader; readonly table: FilterTable; readonly paging: Paging },
): AsyncGenerator<string[]> {
  const batch: RowBatch = { rows: FIRST_ROWS }
  return fitted(readAll(reader, table, paging, showing(source), batch), batch)
}

/** Sets how many rows are read next by the length of those before. */
async function* fitted(batches: AsyncIterable<string[]>, batch: RowBatch): AsyncGenerator<string[]> {
  for await (const texts of batches) {
    if (texts.length > 0) batch.rows = nextRowBatch(texts.length, lengthOf(texts), MAX_HELD)
    yield texts
  }
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((length, text) => length + text.length, 0)
}
