import { collect } from '../collect.ts'
import { type ChangeOptions, checkLimit, ifMatchHeaders, type Page } from '../controller/resource.ts'
import { unexpectedResponse } from '../http/error-response.ts'
import { type ApiCall, type JsonApi, pathOf, type QueryValue } from '../http/json-api.ts'
import { memberOf } from '../http/read-body.ts'
import type { CallOptions } from '../http/transport.ts'

export interface HostedListOptions extends CallOptions {
  /** `name,asc`, or `name desc`. Default: by name. Collections that the API does not page are in its own order. */
  readonly sort?: string | undefined
  /** The maximum number of items. Default: all. */
  readonly limit?: number | undefined
  /** Query parameters of the list: `findByName`, `status`. */
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
}

export interface HostedPageOptions extends Omit<HostedListOptions, 'limit'> {
  /** Counts from 0. */
  readonly page?: number | undefined
  readonly size?: number | undefined
}

const PAGE_SIZE = 200

/** A read-only collection of the hosted API. */
export class HostedCollection<Item> {
  readonly #api: JsonApi
  readonly #path: string
  /** The member of `_embedded` that holds the items of a page; undefined for lists that are an array, or have it as `content`. */
  readonly #listKey: string | undefined

  constructor(api: JsonApi, path: string, listKey?: string) {
    this.#api = api
    this.#path = path
    this.#listKey = listKey
  }

  /** All items, or the first `limit`, which are requested page by page as they are read. */
  async *list({ limit, sort = 'name,asc', ...options }: HostedListOptions = {}): AsyncGenerator<Item> {
    checkLimit(limit)
    const all = limit ?? Number.POSITIVE_INFINITY
    const size = Math.min(PAGE_SIZE, all)
    for (let [page, count] = [0, 0]; count < all; page++) {
      const { items, pages } = await this.#load({ ...options, page, size, sort })
      yield* items.slice(0, all - count)
      count += items.length
      if (items.length === 0 || page + 1 >= pages) return
    }
  }

  /** One page, in any order, for display. Collections that the API does not page are returned whole. */
  async page(options: HostedPageOptions = {}): Promise<Page<Item>> {
    const { items, total } = await this.#load(options)
    return { items, total }
  }

  /** `list` as an array, for short lists. */
  all(options: HostedListOptions = {}): Promise<Item[]> {
    return collect(this.list(options))
  }

  async get(id: string, options: CallOptions = {}): Promise<Item> {
    return this.call({ method: 'GET', path: pathOf('', id), ...options })
  }

  /** The item and its version, for `ifMatch`. */
  async getVersioned(id: string, options: CallOptions = {}): Promise<{ item: Item; version: string | undefined }> {
    const call = { method: 'GET', path: this.#path + pathOf('', id), ...options } as const
    const { value, headers } = await this.#api.exchange(call)
    return { item: value as Item, version: headers.get('etag') ?? undefined }
  }

  async #load({ query, page, size, sort, ...options }: HostedPageOptions) {
    const isPaged = this.#listKey !== undefined
    const value = await this.call<unknown>({
      method: 'GET',
      path: '',
      query: { ...query, ...(isPaged && { page, size, sort: sort?.replace(/ +(?=asc$|desc$)/i, ',') }) },
      ...options,
    })
    const embedded = isPaged ? (memberOf(memberOf(value, '_embedded'), this.#listKey ?? '') ?? []) : undefined
    const items = embedded ?? memberOf(value, 'content') ?? value
    if (!Array.isArray(items)) throw unexpectedResponse({ status: 200 }, this.#api.baseUrl)
    const paging = memberOf(value, 'page')
    const count = (name: string, fallback: number) => Number(memberOf(paging, name) ?? fallback)
    return { items: items as Item[], total: count('totalElements', items.length), pages: count('totalPages', 0) }
  }

  /** Calls a path below the collection. */
  protected call<Data>(call: ApiCall): Promise<Data> {
    return this.#api.call({ ...call, path: this.#path + call.path }) as Promise<Data>
  }
}

/** A collection of the hosted API whose items can be created, updated and deleted. */
export class HostedResource<Item, Input, Changes, Created = Item> extends HostedCollection<Item> {
  create(input: Input, options: CallOptions = {}): Promise<Created> {
    return this.call({ method: 'POST', path: '', body: input, ...options })
  }

  /** Changes the given members only. */
  async update(id: string, changes: Changes, options: ChangeOptions = {}): Promise<Item> {
    return this.#change({ method: 'PATCH', path: pathOf('', id), body: changes }, options)
  }

  /** Sets every member: those not given are reset to their defaults, or discovered from the provider again. */
  async replace(id: string, input: Input, options: ChangeOptions = {}): Promise<Item> {
    return this.#change({ method: 'PUT', path: pathOf('', id), body: input }, options)
  }

  async delete(id: string, options: ChangeOptions = {}): Promise<void> {
    await this.#change({ method: 'DELETE', path: pathOf('', id) }, options)
  }

  async #change(call: ApiCall, { ifMatch, ...options }: ChangeOptions): Promise<Item> {
    return this.call({ ...call, headers: ifMatchHeaders(ifMatch), ...options })
  }
}
