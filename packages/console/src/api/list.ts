import { call } from './call.ts'

export interface ListQuery {
  readonly limit: number
  readonly offset: number
  /** `field asc` or `field desc`. */
  readonly sort?: string | undefined
  readonly filter?: string | undefined
}

export interface ListPage<Item> {
  readonly items: readonly Item[]
  readonly total: number
}

interface ListAnswer<Item> {
  readonly data: readonly Item[]
  readonly meta: { readonly pagination: { readonly totalCount: number } }
}

/** One page of a list of the management API. */
export async function loadPage<Item>(
  path: string,
  { limit, offset, sort, filter }: ListQuery,
): Promise<ListPage<Item>> {
  const query = new URLSearchParams({ limit: String(limit), offset: String(offset) })
  if (sort) query.set('sort', sort)
  if (filter) query.set('filter', filter)
  const { data, meta } = await call<ListAnswer<Item>>('GET', `${path}?${query}`)
  return { items: data, total: meta.pagination.totalCount }
}

/** A text of the filter language. */
export function quote(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')
  return `"${escaped.replaceAll('\r', '\\r').replaceAll('\f', '\\f')}"`
}

/** A condition that holds where one of the fields contains the text. */
export function searchFilter(fields: readonly string[], text: string): string | undefined {
  if (text.trim() === '') return undefined
  return fields.map((field) => `${field} icontains ${quote(text.trim())}`).join(' or ')
}
