import { AppError, foldName, instantText } from '@countersign/core'
import type { Query } from '../pipeline/query.ts'
import type { RouteResponse } from '../pipeline/route.ts'

const HAL = { 'content-type': 'application/hal+json' }
const DEFAULT_SIZE = 1000
const MAX_SIZE = 3000

/** The requested part and order of a list. */
export interface HalPaging {
  readonly page: number
  readonly size: number
  readonly descending: boolean
}

/** Reads `page`, `size` and `sort=name,asc`. Unknown parameters are ignored; the list is always sorted by name. */
export function readHalPaging(query: Query): HalPaging {
  const [, direction = 'asc'] = (query.get('sort') ?? 'name,asc').split(',')
  return {
    page: wholeNumber(query, 'page', 0),
    size: Math.min(wholeNumber(query, 'size', DEFAULT_SIZE), MAX_SIZE) || DEFAULT_SIZE,
    descending: direction.toLowerCase() === 'desc',
  }
}

function wholeNumber(query: Query, name: string, fallback: number): number {
  const text = query.get(name)
  if (text === undefined || text === '') return fallback
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new AppError('INVALID_PAGINATION', { message: `${name} must be a whole number of at least 0` })
}

/** The items of the page, sorted by name. */
export function pageOf<Item extends { readonly name: string; readonly id: string }>(
  items: readonly Item[],
  { page, size, descending }: HalPaging,
): Item[] {
  // Folded once for each item: folding costs more than comparing.
  const sorted = items
    .map((item) => ({ item, folded: foldName(item.name) }))
    .sort((a, b) => compare(a.folded, b.folded) || compare(a.item.id, b.item.id))
    .map(({ item }) => item)
  if (descending) sorted.reverse()
  return sorted.slice(page * size, (page + 1) * size)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export interface HalList {
  /** The member of `_embedded` that existing clients look for. */
  readonly key: string
  readonly href: string
  readonly total: number
  readonly items: readonly unknown[]
  /** The lines of `Accept`, for a list that has a second name in the create form. */
  readonly accept?: readonly string[]
}

/** A page of a list; an empty list has no `_embedded`. */
export function halPage({ key, href, total, items, accept = [] }: HalList, { page, size }: HalPaging): RouteResponse {
  const lists = { [key]: items, ...(asksForCreateForm(accept) && { [createKey(key)]: items }) }
  return {
    status: 200,
    headers: HAL,
    json: {
      ...(items.length > 0 && { _embedded: lists }),
      _links: { self: { href } },
      page: { size, totalElements: total, totalPages: Math.ceil(total / size), number: page },
    },
  }
}

/** `networkList` as `createNetworkList`. */
const createKey = (key: string): string => `create${key.charAt(0).toUpperCase()}${key.slice(1)}`

/**
 * `Accept: application/hal+json;as=create`. Existing clients keep sending it after the first such request and then read the usual name,
 * so the response has both.
 */
function asksForCreateForm(accept: readonly string[]): boolean {
  return accept.some((line) => line.split(/[,;]/).some((part) => part.trim().toLowerCase() === 'as=create'))
}

export function halDetail(json: unknown, status = 200): RouteResponse {
  return { status, headers: HAL, json }
}

/** Instants of the core service. */
export const isoTime = instantText

/** Instants of the identity service. */
export const epochTime = (milliseconds: number) => ({
  epochSecond: Math.floor(milliseconds / 1000),
  nano: (milliseconds % 1000) * 1_000_000,
})
