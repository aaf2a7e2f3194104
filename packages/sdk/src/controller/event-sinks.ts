import { pathOf } from '../http/json-api.ts'
import type { CallOptions } from '../http/transport.ts'
import type { EventSink, EventSinkChanges, EventSinkInput, EventSinkTest } from '../wire-types.ts'
import { type ChangeOptions, ifMatchHeaders, NamedResource } from './resource.ts'

/** Receivers of events. */
export class EventSinks extends NamedResource<EventSink, EventSinkInput, EventSinkChanges> {
  /** Sends a test event at once. A refusal by the receiver is a result, not an error. */
  test(id: string, options: CallOptions = {}): Promise<EventSinkTest> {
    return this.act(id, 'test', undefined, options)
  }

  /** Delivers the events from a position again. Returns the position of the first one that still exists. */
  async replay(id: string, from: number, { ifMatch, ...options }: ChangeOptions = {}): Promise<number> {
    const path = `${pathOf(this.path, id)}/replay`
    const call = { method: 'POST', path, body: { from }, headers: ifMatchHeaders(ifMatch), ...options } as const
    return (await this.api.call<{ from: number }>('management', call)).from
  }
}
