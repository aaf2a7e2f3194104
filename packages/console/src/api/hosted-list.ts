import { call } from './call.ts'
import type { ListPage } from './list.ts'

interface HalPage<Item> {
  readonly _embedded?: Readonly<Record<string, readonly Item[]>>
  readonly page: { readonly totalElements: number }
}

interface HostedRequest {
  readonly limit: number
  readonly offset: number
  /** `field asc` or `field desc`. */
  readonly sort: string
  readonly text: string
}

/** One page of a list of the hosted API that comes in pages. */
export async function loadHalPage<Item>(
  path: string,
  { limit, offset, sort, text }: HostedRequest,
): Promise<ListPage<Item>> {
  const query = new URLSearchParams({
    page: String(Math.floor(offset / limit)),
    size: String(limit),
    sort: sort.replace(' ', ','),
    ...(text.trim() !== '' && { findByName: `%${text.trim()}%` }),
  })
  const { _embedded = {}, page } = await call<HalPage<Item>>('GET', `${path}?${query}`)
  return { items: Object.values(_embedded)[0] ?? [], total: page.totalElements }
}

/** One page of a list that comes whole: an organization has few of these. */
export async function loadWhole<Item extends { readonly name: string }>(
  path: string,
  { limit, offset, sort, text }: HostedRequest,
): Promise<ListPage<Item>> {
  const wanted = text.trim().toLowerCase()
  const [field = 'name', direction] = sort.split(' ', 2)
  const sign = direction === 'desc' ? -1 : 1
  const textOf = (item: Item) => String((item as Record<string, unknown>)[field] ?? '')
  const items = (await call<readonly Item[]>('GET', path))
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => sign * textOf(a).localeCompare(textOf(b)))
  return { items: items.slice(offset, offset + limit), total: items.length }
}
