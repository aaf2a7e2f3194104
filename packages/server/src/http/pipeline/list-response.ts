import { Readable } from 'node:stream'
import { matchesEveryRow, type Paging, type PagingOptions, type Predicate } from '@countersign/core'
import { buildFilterOptions, type FilterTable } from '../../store/filter-to-sql.ts'
import { createListReader, mayTakeLong } from '../../store/reads/list-reader.ts'
import { countRows, listPage } from '../../store/reads/list-rows.ts'
import type { Call } from './call.ts'
import type { ListSource } from './list-source.ts'
import { largePage, lengthOf, MAX_HELD, showRows, wholeList } from './list-stream.ts'
import { listTurn } from './list-turns.ts'
import { type ListCall, listCallerOf, readPaging } from './read-paging.ts'
import type { RouteResponse } from './route.ts'

/** The response to a list request. A page is read at once; a large page, and a list without limit, is streamed. */
export async function listResponse<Row extends { id: string }>(
  source: ListSource<Row>,
  call: ListCall & Pick<Call, 'recheckCaller'>,
): Promise<RouteResponse> {
  const { recheckCaller } = call
  const { caller, sessionId } = listCallerOf(call)
  const { store, columns, within } = source
  const requested = await readPaging(call, optionsOf(source.table), (paging) => paging)
  const table = within?.table ?? source.table
  const paging = within ? { ...requested, predicate: both(within.predicate, requested.predicate) } : requested
  const { limit } = paging
  const countAll = matchesEveryRow(requested.predicate) ? source.countAll : undefined
  const isLong = mayTakeLong(countAll ? requested : paging, table)
  const turn = listTurn({ caller, sessionId, limit })
  const reader = createListReader(store, { caller, member: sessionId, isLong, now: source.now, turn })
  if (limit === 'none') {
    // Before the response begins, so that a refusal is still possible.
    const totalCount = await countRows(reader, table, paging.predicate)
    const end = listEnd(source.table, paging, totalCount)
    return {
      status: 200,
      stream: Readable.from(wholeList(source, { reader, table, paging, end, turn, recheckCaller })),
    }
  }
  const { rows, totalCount } = await listPage<Row>(reader, table, { ...paging, limit }, columns, countAll)
  const shown = await showRows(source, rows, turn)
  const end = listEnd(source.table, paging, totalCount)
  if (lengthOf(shown) <= MAX_HELD) return { status: 200, text: `{"data":[${shown.join(',')}${end}` }
  const ids = rows.map(({ id }) => id)
  return { status: 200, stream: Readable.from(largePage(source, { table, ids, shown, end, turn, recheckCaller })) }
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
