import { checkLimit } from '../controller/resource.ts'
import { unexpectedResponse } from '../http/error-response.ts'
import type { JsonApi } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type { AuditEvent } from './hosted-types.ts'

export interface AuditEventOptions extends CallOptions {
  /** Types such as `network` or `token.refused`, separated by commas. Default: all. */
  readonly type?: string | undefined
  readonly from?: Date | undefined
  readonly to?: Date | undefined
}

export interface AuditEventListOptions extends AuditEventOptions {
  /** The maximum number of events. Default: all. */
  readonly limit?: number | undefined
}

const PATH = '/identity/v1/audit-events'
const PAGE_SIZE = 200

/** What happened in the caller's organization. */
export class AuditEvents {
  readonly #api: JsonApi

  constructor(api: JsonApi) {
    this.#api = api
  }

  /** All events, or the newest `limit`, from the newest to the oldest, page by page. */
  async *list({ limit, ...options }: AuditEventListOptions = {}): AsyncGenerator<AuditEvent> {
    checkLimit(limit)
    const all = limit ?? Number.POSITIVE_INFINITY
    const size = Math.min(PAGE_SIZE, all)
    for (let [before, count]: [string | undefined, number] = [undefined, 0]; count < all; ) {
      const events = await this.page({ ...options, before, size })
      yield* events.slice(0, all - count)
      count += events.length
      before = events.at(-1)?.id
      if (events.length < size) return
    }
  }

  /** One page, from the newest event on, or from the one after the event `before`. */
  async page({
    type,
    from,
    to,
    before,
    size,
    ...options
  }: AuditEventOptions & { readonly before?: string | undefined; readonly size?: number | undefined } = {}): Promise<
    readonly AuditEvent[]
  > {
    const query = { type, from: from?.toISOString(), to: to?.toISOString(), before, size }
    const value = await this.#api.call({ method: 'GET', path: PATH, query, ...options })
    if (!Array.isArray(value)) throw unexpectedResponse({ status: 200 }, this.#api.baseUrl)
    return value as AuditEvent[]
  }
}
