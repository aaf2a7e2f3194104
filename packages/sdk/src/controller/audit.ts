import { memberOf } from '../http/read-body.ts'
import type { CallOptions } from '../http/transport.ts'
import type { AuditEntry, AuditHead } from '../wire-types.ts'
import type { ControllerApi } from './controller-api.ts'
import { quoteForFilter, ReadableResource } from './resource.ts'

/** The signed ends of the audit record. */
export interface AuditHeads {
  readonly heads: readonly AuditHead[]
  /** What vouches for entries that were deleted by their age. */
  readonly anchors: readonly AuditHead[]
  /** The public keys of the signatures, as JWKs. */
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

const PAGE = 500

/** The record of changes and decisions. */
export class Audit {
  readonly entries: Pick<ReadableResource<AuditEntry>, 'list' | 'page' | 'all'>
  readonly #api: ControllerApi

  constructor(api: ControllerApi) {
    this.#api = api
    this.entries = new ReadableResource<AuditEntry>(api, '/audit-entries')
  }

  /** The newest entry of each node, signed a few seconds ago at most. */
  async heads(options: CallOptions = {}): Promise<AuditHeads> {
    const call = { method: 'GET', path: '/audit-heads', ...options } as const
    const { data, meta } = await this.#api.exchange<AuditHead[]>('management', call)
    const listOf = (name: string) => (memberOf(meta, name) ?? []) as never[]
    return { heads: data, anchors: listOf('anchors'), keys: listOf('keys') }
  }

  /** The entries of a node up to its head, in their order. They are requested as they are read. */
  async *upTo({ node, sequence: end }: Pick<AuditHead, 'node' | 'sequence'>): AsyncGenerator<AuditEntry> {
    for (let last = 0; last < end; ) {
      // A short range: the controller counts what matches.
      const until = Math.min(end, last + PAGE)
      const page = await this.#between(node, last, until)
      if (page.length > 0) {
        yield* page
        last = until
      } else {
        const [next] = await this.#between(node, until, end, 1)
        if (!next) return
        last = next.sequence - 1
      }
    }
  }

  #between(node: string, after: number, last: number, limit = PAGE): Promise<AuditEntry[]> {
    const condition = `node = ${quoteForFilter(node)} and sequence > ${after} and sequence <= ${last}`
    return this.entries.all({ filter: `${condition} sort by sequence limit ${limit}` })
  }
}
