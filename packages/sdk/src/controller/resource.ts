import { collect } from '../collect.ts'
import { pathOf } from '../http/json-api.ts'
import { memberOf } from '../http/read-body.ts'
import type { CallOptions } from '../http/transport.ts'
import type { ControllerApi } from './controller-api.ts'
import { hasFilterEnding } from './filter-ending.ts'

export interface ListOptions extends CallOptions {
  /** Which ones, in the filter language of the API: `name contains "laptop"`. */
  readonly filter?: string | undefined
  /** How many are fetched at once; 100 unless given. A filter that ends in `sort by`, `skip` or `limit` is answered at once. */
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
  /** How many there are that the filter lets through. */
  readonly total: number
}

export interface ChangeOptions extends CallOptions {
  /** The version that was read (`getVersioned`); a 412 tells that somebody else has changed it since. */
  readonly ifMatch?: string | undefined
}

/** Whatever is in a collection has an id. */
export interface Identified {
  readonly id: string
}

const PAGE_SIZE = 100
/** What the API takes for no limit; a limit in the filter itself comes before it. */
const UNLIMITED = -1

/** A text as it stands in a filter: quoted, so that it can hold anything. */
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

/** What can be read of a collection of the management API. */
export class ReadableResource<Item extends Identified> {
  protected readonly api: ControllerApi
  protected readonly path: string

  constructor(api: ControllerApi, path: string) {
    this.api = api
    this.path = path
  }

  /**
   * All of them, in order of id. Each page begins behind the last id, so that nothing is missed or seen twice while others come
   * and go. A filter that says itself in which order and how many (`sort by`, `skip`, `limit`) has its way, in one answer.
   */
  async *list({ filter, pageSize = PAGE_SIZE, ...options }: ListOptions = {}): AsyncGenerator<Item> {
    if (filter !== undefined && hasFilterEnding(filter)) {
      yield* (await this.page({ filter, limit: UNLIMITED, ...options })).items
      return
    }
    let last: string | undefined
    for (;;) {
      const wanted = [filter && `(${filter})`, last === undefined ? undefined : `id > ${quoteForFilter(last)}`]
      const predicate = wanted.filter(Boolean).join(' and ') || 'true'
      const query = { filter: `${predicate} sort by id asc limit ${pageSize}` }
      const page = await this.api.call<Item[]>('management', { method: 'GET', path: this.path, query, ...options })
      yield* page
      last = page.at(-1)?.id
      if (page.length < pageSize || last === undefined) return
    }
  }

  /** The same as an array, for lists that are known to be short. */
  all(options: ListOptions = {}): Promise<Item[]> {
    return collect(this.list(options))
  }

  /** One page in any order, for tables that people look at. */
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

/** A collection to which things are added and from which they are taken. */
export class CreatableResource<Item extends Identified, Input> extends ReadableResource<Item> {
  /** Makes one and gives back its id. */
  async create(input: Input, options: CallOptions = {}): Promise<string> {
    const call = { method: 'POST', path: this.path, body: input, ...options } as const
    return (await this.api.call<Identified>('management', call)).id
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.api.call('management', { method: 'DELETE', path: pathOf(this.path, id), ...options })
  }

  /** An action on one of them. */
  protected async act<Data>(id: string, action: string, body?: unknown, options: CallOptions = {}): Promise<Data> {
    return this.api.call('management', { method: 'POST', path: `${pathOf(this.path, id)}/${action}`, body, ...options })
  }
}

/** A collection whose things can be changed. */
export class Resource<Item extends Identified, Input, Changes> extends CreatableResource<Item, Input> {
  /** The thing and its version, for `ifMatch`. */
  async getVersioned(id: string, options: CallOptions = {}): Promise<{ item: Item; version: string | undefined }> {
    const call = { method: 'GET', path: pathOf(this.path, id), ...options } as const
    const { data, headers } = await this.api.exchange<Item>('management', call)
    return { item: data, version: headers.get('etag') ?? undefined }
  }

  /** Sets every member: what is not given goes back to its default. */
  replace(id: string, input: Input, options: ChangeOptions = {}): Promise<void> {
    return this.#change('PUT', id, input, options)
  }

  /** Changes the given members only. */
  patch(id: string, changes: Changes, options: ChangeOptions = {}): Promise<void> {
    return this.#change('PATCH', id, changes, options)
  }

  async #change(method: 'PUT' | 'PATCH', id: string, body: unknown, { ifMatch, ...options }: ChangeOptions) {
    const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch }
    await this.api.call('management', { method, path: pathOf(this.path, id), body, headers, ...options })
  }
}

/** A collection whose things have names. */
export class NamedResource<Item extends Identified, Input, Changes> extends Resource<Item, Input, Changes> {
  /** The one of this name, or undefined. */
  async findByName(name: string, options: CallOptions = {}): Promise<Item | undefined> {
    const { items } = await this.page({ filter: `name = ${quoteForFilter(name)}`, limit: 1, ...options })
    return items[0]
  }
}
