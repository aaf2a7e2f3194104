import { collect } from '../collect.ts'
import { pathOf } from '../http/json-api.ts'
import { memberOf } from '../http/read-body.ts'
import type { CallOptions } from '../http/transport.ts'
import type { ControllerApi } from './controller-api.ts'
import { hasFilterEnding } from './filter-ending.ts'

export interface ListOptions extends CallOptions {
  /** In the filter language of the API: `name contains "laptop"`. */
  readonly filter?: string | undefined
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

/** A read-only collection of the management API. */
export class ReadableResource<Item extends Identified> {
  protected readonly api: ControllerApi
  protected readonly path: string

  constructor(api: ControllerApi, path: string) {
    this.api = api
    this.path = path
  }

  /**
   * All items, ordered by id. Each page starts after the last id, so that concurrent writes neither hide nor repeat items. A filter with
   * `sort by`, `skip` or `limit` of its own is sent unchanged, as one request.
   */
  async *list({ filter, pageSize = PAGE_SIZE, ...options }: ListOptions = {}): AsyncGenerator<Item> {
    if (filter !== undefined && hasFilterEnding(filter)) {
      yield* (await this.page({ filter, limit: UNLIMITED, ...options })).items
      return
    }
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

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.api.call('management', { method: 'DELETE', path: pathOf(this.path, id), ...options })
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
