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

/** Loads one page of a paged collection of the hosted API. */
export function loadHalPage<Item>(
  collection: HostedPages<Item>,
  { limit, offset, sort, text }: HostedRequest,
): Promise<Page<Item>> {
  const findByName = text.trim() === '' ? undefined : `%${text.trim()}%`
  const page = Math.floor(offset / limit)
  return collection.page({ page, size: limit, sort: sort.replace(' ', ','), query: { findByName } })
}

/** Loads a collection that the hosted API does not page, and searches, sorts and pages it here. */
export async function loadAndPage<Item extends { readonly name: string }>(
  collection: HostedPages<Item>,
  { limit, offset, sort, text }: HostedRequest,
): Promise<Page<Item>> {
  const searchText = text.trim().toLowerCase()
  const [field = 'name', direction] = sort.split(' ', 2)
  const sign = direction === 'desc' ? -1 : 1
  const textOf = (item: Item) => String((item as Record<string, unknown>)[field] ?? '')
  const items = (await collection.page({})).items
    .filter(({ name }) => name.toLowerCase().includes(searchText))
    .toSorted((a, b) => sign * textOf(a).localeCompare(textOf(b)))
  return { items: items.slice(offset, offset + limit), total: items.length }
}
