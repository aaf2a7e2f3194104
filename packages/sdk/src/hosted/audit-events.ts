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

const PATH = '/identity/v1/audit-events'
const PAGE_SIZE = 200

/** What happened in the caller's organization. */
export class AuditEvents {
  readonly #api: JsonApi

  constructor(api: JsonApi) {
    this.#api = api
  }

  /** All events, from the newest to the oldest, page by page. */
  async *list(options: AuditEventOptions = {}): AsyncGenerator<AuditEvent> {
    for (let before: string | undefined; ; ) {
      const events = await this.page({ ...options, before, size: PAGE_SIZE })
      yield* events
      before = events.at(-1)?.id
      if (events.length < PAGE_SIZE) return
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
