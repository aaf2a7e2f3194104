import { collect } from '../collect.ts'
import { pathOf } from '../http/json-api.ts'
import { memberOf } from '../http/read-body.ts'
import type { CallOptions } from '../http/transport.ts'
import type { ControllerApi } from './controller-api.ts'
import { hasFilterEnding } from './filter-ending.ts'

export interface ListOptions extends CallOptions {
  /** In the filter language of the API: `name contains "laptop"`. */
  readonly filter?: string | undefined
  /** `name`, or `createdAt desc, name`. Default: by id. */
  readonly sort?: string | undefined
  /** The maximum number of items. Default: all. */
  readonly limit?: number | undefined
  /** Items per request. Default: 100. Ignored for a filter with `sort by`, `skip` or `limit`, which is one request. */
  readonly pageSize?: number | undefined
}

export interface PageOptions extends CallOptions {
  readonly filter?: string | undefined
  /** `name`, or `createdAt desc, name`. */
  readonly sort?: string | undefined
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** The number of items that match the filter. */
  readonly total: number
}

export interface ChangeOptions extends CallOptions {
  /** The version from `getVersioned`. The call fails with 412 when the item has changed since. */
  readonly ifMatch?: string | undefined
}

export interface Identified {
  readonly id: string
}

const PAGE_SIZE = 100
/** The API's value for no limit. A limit in the filter takes precedence. */
const UNLIMITED = -1

/** Quotes and escapes a text for use in a filter. */
export function quoteForFilter(text: string): string {
  let quoted = ''
  for (const character of text) quoted += ESCAPES[character] ?? character
  return `"${quoted}"`
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

/** Throws for a limit that is no count of items. */
export function checkLimit(limit: number | undefined): void {
  if (limit === undefined || (Number.isInteger(limit) && limit >= 0)) return
  throw new TypeError(`the limit ${limit} is not a number of items`)
}

/** A read-only collection of the management API. */
export class ReadableResource<Item extends Identified> {
  protected readonly api: ControllerApi
  protected readonly path: string

  constructor(api: ControllerApi, path: string) {
    this.api = api
    this.path = path
  }

  /**
   * All items, or the first `limit`, which are requested page by page as they are read. Without `sort`, they are ordered by id and each page starts
   * after the last id, so that concurrent writes neither hide nor repeat items. With `sort`, pages start at an offset: items never repeat, but
   * writes in between can hide some. A filter with `sort by`, `skip` or `limit` of its own is sent unchanged, as one request.
   */
  async *list({ limit, ...options }: ListOptions = {}): AsyncGenerator<Item> {
    checkLimit(limit)
    if (limit === 0) return
    let rest = limit ?? Number.POSITIVE_INFINITY
    const pageSize = Math.min(options.pageSize ?? PAGE_SIZE, rest)
    for await (const item of this.#listAll({ ...options, pageSize })) {
      yield item
      rest -= 1
      if (rest <= 0) return
    }
  }

  #listAll(options: ListOptions & { readonly pageSize: number }): AsyncGenerator<Item> {
    if (options.filter !== undefined && hasFilterEnding(options.filter)) return this.#listOnce(options)
    return options.sort === undefined ? this.#listById(options) : this.#listSorted(options)
  }

  async *#listOnce({ pageSize: _, ...options }: ListOptions): AsyncGenerator<Item> {
    yield* (await this.page({ ...options, limit: UNLIMITED })).items
  }

  async *#listById({
    filter,
    pageSize,
    ...options
  }: ListOptions & { readonly pageSize: number }): AsyncGenerator<Item> {
    let last: string | undefined
    for (;;) {
      const conditions = [filter && `(${filter})`, last === undefined ? undefined : `id > ${quoteForFilter(last)}`]
      const predicate = conditions.filter(Boolean).join(' and ') || 'true'
      const query = { filter: `${predicate} sort by id asc limit ${pageSize}` }
      const page = await this.api.call<Item[]>('management', { method: 'GET', path: this.path, query, ...options })
      yield* page
      last = page.at(-1)?.id
      if (page.length < pageSize || last === undefined) return
    }
  }

  async *#listSorted({ pageSize, ...options }: ListOptions & { readonly pageSize: number }): AsyncGenerator<Item> {
    const seen = new Set<string>()
    for (let offset = 0; ; offset += pageSize) {
      const { items } = await this.page({ ...options, limit: pageSize, offset })
      for (const item of items) {
        if (!seen.has(item.id)) yield item
        seen.add(item.id)
      }
      if (items.length < pageSize) return
    }
  }

  /** `list` as an array, for short lists. */
  all(options: ListOptions = {}): Promise<Item[]> {
    return collect(this.list(options))
  }

  /** One page, in any order, for display. */
  async page({ filter, sort, limit, offset, ...options }: PageOptions = {}): Promise<Page<Item>> {
    const query = { filter, sort, limit, offset }
    const { data, meta } = await this.api.exchange<Item[]>('management', {
      method: 'GET',
      path: this.path,
      query,
      ...options,
    })
    const total = memberOf(memberOf(meta, 'pagination'), 'totalCount')
    return { items: data, total: typeof total === 'number' ? total : data.length }
  }

  async get(id: string, options: CallOptions = {}): Promise<Item> {
    return this.api.call('management', { method: 'GET', path: pathOf(this.path, id), ...options })
  }
}

/** A collection whose items can be created and deleted. */
export class CreatableResource<Item extends Identified, Input> extends ReadableResource<Item> {
  /** Creates an item and returns its id. */
  async create(input: Input, options: CallOptions = {}): Promise<string> {
    const call = { method: 'POST', path: this.path, body: input, ...options } as const
    return (await this.api.call<Identified>('management', call)).id
  }

  async delete(id: string, { ifMatch, ...options }: ChangeOptions = {}): Promise<void> {
    const headers = ifMatchHeaders(ifMatch)
    await this.api.call('management', { method: 'DELETE', path: pathOf(this.path, id), headers, ...options })
  }

  /** Calls an action of one item. */
  protected async act<Data>(id: string, action: string, body?: unknown, options: CallOptions = {}): Promise<Data> {
    return this.api.call('management', { method: 'POST', path: `${pathOf(this.path, id)}/${action}`, body, ...options })
  }
}

/** The headers of a change that needs the item's current version. */
export function ifMatchHeaders(ifMatch: string | undefined): Record<string, string> {
  return ifMatch === undefined ? {} : { 'if-match': ifMatch }
}

/** A collection whose items can be updated. */
export class Resource<Item extends Identified, Input, Changes> extends CreatableResource<Item, Input> {
  /** The item and its version, for `ifMatch`. */
  async getVersioned(id: string, options: CallOptions = {}): Promise<{ item: Item; version: string | undefined }> {
    const call = { method: 'GET', path: pathOf(this.path, id), ...options } as const
    const { data, headers } = await this.api.exchange<Item>('management', call)
    return { item: data, version: headers.get('etag') ?? undefined }
  }

  /** Sets every member: those not given are reset to their defaults. */
  replace(id: string, input: Input, options: ChangeOptions = {}): Promise<void> {
    return this.#change('PUT', id, input, options)
  }

  /** Changes the given members only. */
  patch(id: string, changes: Changes, options: ChangeOptions = {}): Promise<void> {
    return this.#change('PATCH', id, changes, options)
  }

  async #change(method: 'PUT' | 'PATCH', id: string, body: unknown, { ifMatch, ...options }: ChangeOptions) {
    const headers = ifMatchHeaders(ifMatch)
    await this.api.call('management', { method, path: pathOf(this.path, id), body, headers, ...options })
  }
}

/** A collection whose items have unique names. */
export class NamedResource<Item extends Identified, Input, Changes> extends Resource<Item, Input, Changes> {
  /** Undefined when no item has this name. */
  async findByName(name: string, options: CallOptions = {}): Promise<Item | undefined> {
    const { items } = await this.page({ filter: `name = ${quoteForFilter(name)}`, limit: 1, ...options })
    return items[0]
  }
}
