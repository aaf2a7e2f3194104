import { Readable } from 'node:stream'
import { matchesEveryRow, type Paging, type PagingOptions, type Predicate } from '@countersign/core'
import { buildFilterOptions, type FilterTable } from '../../store/filter-to-sql.ts'
import { createListReader, type ListReader, mayTakeLong } from '../../store/reads/list-reader.ts'
import { countRows, type RowUse, readPage } from '../../store/reads/list-rows.ts'
import type { Call } from './call.ts'
import type { ListSource } from './list-source.ts'
import { allTexts, FIRST_ROWS, listText, MAX_HELD, showing, textsByIds } from './list-stream.ts'
import { listTurn, pageTurn } from './list-turns.ts'
import { type ListCall, listCallerOf, readPaging } from './read-paging.ts'
import type { RouteResponse } from './route.ts'

/** The response to a list request. Of a large page, and of a list without limit, rows are read while the client reads those before them. */
export async function listResponse<Row extends { id: string }>(
  source: ListSource<Row>,
  call: ListCall & Pick<Call, 'recheckCaller'>,
): Promise<RouteResponse> {
  const { recheckCaller } = call
  const { caller, sessionId } = listCallerOf(call)
  const { store, within, now } = source
  const requested = await readPaging(call, optionsOf(source.table), (paging) => paging)
  const table = within?.table ?? source.table
  const paging = within ? { ...requested, predicate: both(within.predicate, requested.predicate) } : requested
  const { limit } = paging
  const countAll = matchesEveryRow(requested.predicate) ? source.countAll : undefined
  const isLong = mayTakeLong(countAll ? requested : paging, table)
  const turn = listTurn({ caller, sessionId, limit })
  const reader = createListReader(store, { caller, member: sessionId, isLong, now, turn })
  if (limit === 'none') {
    // Before the response begins, so that a refusal is still possible.
    const totalCount = await countRows(reader, table, paging.predicate)
    const end = listEnd(source.table, paging, totalCount)
    return {
      status: 200,
      stream: Readable.from(listText(allTexts(source, { reader, table, paging }), { end, recheckCaller })),
    }
  }
  const page = { ...paging, limit }
  const readRows = (from: ListReader) => readPage(from, table, page, { ...showing(source), countAll })
  const isSmall = limit <= FIRST_ROWS && !isLong
  // A row of a table `inIdOrder` has only its id, and no index finds it by that.
  if (isSmall || table.inIdOrder) {
    // A small page is read and counted in one step, so that no rows are held while the count waits for its turn.
    const { result, totalCount } = await (isSmall
      ? turn(() => readRows(createListReader(store, { caller, isLong, now })))
      : readRows(reader))
    return { status: 200, text: `{"data":[${result.join(',')}${listEnd(source.table, paging, totalCount)}` }
  }
  const { result: ids, totalCount } = await readPage(reader, table, page, { ...READ_IDS, countAll })
  const end = listEnd(source.table, paging, totalCount)
  const byId = createListReader(store, { caller, isLong: false, now, turn })
  const parts = listText(textsByIds(source, { reader: byId, ids }), { end, recheckCaller })
  return pageTurn({ caller, sessionId, limit }, () => beginText(parts))
}

const READ_IDS: RowUse<{ readonly id: string }, string[]> = {
  columns: ['id'],
  use: (rows) => rows.map(({ id }) => id),
}

/** The response with a text that is sent at once, unless it is longer than what is held. */
async function beginText(parts: AsyncGenerator<string>): Promise<RouteResponse> {
  const held: string[] = []
  let length = 0
  for (;;) {
    const { done, value } = await parts.next()
    if (done) return { status: 200, text: held.join('') }
    held.push(value)
    length += value.length
    if (length > MAX_HELD) return { status: 200, stream: Readable.from(concatenated(held, parts)) }
  }
}

async function* concatenated(held: Iterable<string>, parts: AsyncIterable<string>): AsyncGenerator<string> {
  yield* held
  yield* parts
}

/** The text after the last row. */
function listEnd(...meta: Parameters<typeof listMeta>): string {
  return `],"meta":${JSON.stringify(listMeta(...meta))}}\n`
}

function both(one: Predicate, other: Predicate): Predicate {
  return { kind: 'and', terms: [one, other] }
}

export function listMeta(table: FilterTable, paging: Pick<Paging, 'limit' | 'offset'>, totalCount: number) {
  return { filterableFields: [...table.columns.keys()], pagination: paginationOf(paging, totalCount) }
}

/** `limit` is -1 for a list without limit. */
export function paginationOf({ limit, offset }: Pick<Paging, 'limit' | 'offset'>, totalCount: number) {
  return { limit: limit === 'none' ? -1 : limit, offset, totalCount }
}

const optionsByTable = new WeakMap<FilterTable, PagingOptions>()

function optionsOf(table: FilterTable): PagingOptions {
  let options = optionsByTable.get(table)
  if (!options) {
    options = { ...buildFilterOptions(table), ...(table.isUnlimitedByDefault && { defaultLimit: 'none' }) }
    optionsByTable.set(table, options)
  }
  return options
}
