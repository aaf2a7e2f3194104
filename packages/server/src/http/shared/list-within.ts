import { Readable } from 'node:stream'
import { type Paging, type Predicate, resolvePaging } from '@countersign/core'
import { buildFilterOptions, type FilterTable } from '../../store/filter-to-sql.ts'
import { allRows, countRows, listRows } from '../../store/reads/list-rows.ts'
import { type ListSource, listMeta, listParameters } from '../pipeline/list-answer.ts'
import type { Query } from '../pipeline/query.ts'
import type { Answer } from '../pipeline/route.ts'

/** The part of a table that a list shows, whatever the caller asks for; `table` may know symbols that callers do not. */
export interface Within {
  readonly table: FilterTable
  readonly predicate: Predicate
}

/** The answer to a list call that sees only a part of its table. */
export async function listWithin<Row extends { id: string }>(
  source: ListSource<Row>,
  within: Within,
  query: Query,
): Promise<Answer> {
  const asked = resolvePaging(listParameters(query), buildFilterOptions(source.table))
  const paging: Paging = { ...asked, predicate: { kind: 'and', terms: [within.predicate, asked.predicate] } }
  const totalCount = await countRows(source.store, within.table, paging)
  const meta = listMeta(source.table, paging, totalCount)
  if (paging.limit === 'none')
    return { status: 200, stream: Readable.from(wholeList(source, within.table, paging, meta)) }
  const rows = await listRows<Row>(source.store, within.table, paging)
  return { status: 200, json: { data: await source.show(rows), meta } }
}

async function* wholeList<Row extends { id: string }>(
  source: ListSource<Row>,
  table: FilterTable,
  paging: Paging,
  meta: unknown,
): AsyncGenerator<string> {
  let separator = ''
  yield '{"data":['
  for await (const rows of allRows<Row>(source.store, table, paging)) {
    const shown = await source.show(rows)
    yield separator + shown.map((item) => JSON.stringify(item)).join(',')
    separator = ','
  }
  yield `],"meta":${JSON.stringify(meta)}}\n`
}

/** One column equal to one value. */
export function equals(symbol: string, value: string): Predicate {
  const operand = { kind: 'symbol', symbol, type: 'string' } as const
  return { kind: 'comparison', comparison: { kind: 'equal', operand, value, negated: false } }
}

/** One instant later than another. */
export function laterThan(symbol: string, instant: number): Predicate {
  const operand = { kind: 'symbol', symbol, type: 'datetime' } as const
  return { kind: 'comparison', comparison: { kind: 'order', operator: '>', operand, value: instant, negated: false } }
}
