import type { HostedPageOptions, Page } from '@countersign/sdk'

interface HostedRequest {
  readonly limit: number
  readonly offset: number
  /** `field asc` or `field desc`. */
  readonly sort: string
  readonly text: string
}

interface HostedPages<Item> {
  page(options: HostedPageOptions): Promise<Page<Item>>
}

/** One page of a collection of the hosted API that comes in pages. */
export function loadHalPage<Item>(
  collection: HostedPages<Item>,
  { limit, offset, sort, text }: HostedRequest,
): Promise<Page<Item>> {
  const findByName = text.trim() === '' ? undefined : `%${text.trim()}%`
  const page = Math.floor(offset / limit)
  return collection.page({ page, size: limit, sort: sort.replace(' ', ','), query: { findByName } })
}

/** One page of a collection that comes whole: an organization has few of these. */
export async function loadWhole<Item extends { readonly name: string }>(
  collection: HostedPages<Item>,
  { limit, offset, sort, text }: HostedRequest,
): Promise<Page<Item>> {
  const wanted = text.trim().toLowerCase()
  const [field = 'name', direction] = sort.split(' ', 2)
  const sign = direction === 'desc' ? -1 : 1
  const textOf = (item: Item) => String((item as Record<string, unknown>)[field] ?? '')
  const items = (await collection.page({})).items
    .filter(({ name }) => name.toLowerCase().includes(wanted))
    .toSorted((a, b) => sign * textOf(a).localeCompare(textOf(b)))
  return { items: items.slice(offset, offset + limit), total: items.length }
}
