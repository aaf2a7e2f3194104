import type { HostedCaller } from '../../hosted/hosted-caller.ts'
import { GroupedQueue } from '../../platform/grouped-queue.ts'
import { mapInTurns } from '../../platform/map-in-turns.ts'
import { LONG_READ_MS } from '../../store/long-read.ts'
import type { Query } from '../pipeline/query.ts'
import type { RouteResponse } from '../pipeline/route.ts'
import { readHalPaging } from './hal.ts'

/** A part of a list. */
export interface ListPart {
  readonly limit: number
  readonly offset: number
}

/** Lists of the identity service are whole unless `page` or `size` is given. */
export function readListPart(query: Query): ListPart | undefined {
  if (!query.has('page') && !query.has('size')) return undefined
  const { page, size } = readHalPaging(query)
  return { limit: size, offset: Math.min(page * size, Number.MAX_SAFE_INTEGER) }
}

export function partOf<Item>(items: readonly Item[], part: ListPart | undefined): readonly Item[] {
  return part ? items.slice(part.offset, part.offset + part.limit) : items
}

/** One list of an organization at a time: a thousand accounts may be megabytes of conditions. Its callers take turns. */
const lists = new GroupedQueue({ atOnce: Number.POSITIVE_INFINITY, maxWaiting: 100, maxWaitMs: LONG_READ_MS })

/** A list of the identity service, a bare array. The requests of others have their turns while its rows are shown. */
export function identityList<Row>(
  { organizationId, identityId }: Pick<HostedCaller, 'organizationId' | 'identityId'>,
  read: () => Promise<readonly Row[]>,
  show: (row: Row) => unknown,
): Promise<RouteResponse> {
  return lists.run(organizationId, identityId, async () => {
    const texts = await mapInTurns(await read(), (row) => JSON.stringify(show(row)))
    return { status: 200, text: `[${texts.join(',')}]\n` }
  })
}
