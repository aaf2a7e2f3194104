import { newId, retryDelayMs, type SinkEvent } from '@countersign/core'
import type { Logger } from 'pino'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import { firstPositionOf, type OutboxRow } from '../../store/outbox-row.ts'
import {
  findSink,
  hasPendingRecords,
  listSinks,
  loadNewestPosition,
  loadOutbox,
  loadOutboxRange,
  type OutboxReach,
} from '../../store/reads/event-sink-reads.ts'
import type { StoredSink } from '../../store/sink-row.ts'
import type { Store } from '../../store/store.ts'
import type { DeliveryNote } from '../../store/writes/event-sink-writes.ts'
import { eventText } from '../event-text.ts'
import type { KnownSinks } from './known-sinks.ts'
import { recipientOf } from './recipient.ts'
import { nothingSent, type OutboxBatch, type SendBatch, type SentBatch } from './send-batch.ts'

export interface SinkDeliveryParts {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly log: Logger
  readonly sealing: Sealing
  readonly nodeId: string
  readonly sinks: KnownSinks
  readonly send: SendBatch
  /** Whether this process delivers. Others of its node only send tests. */
  readonly isLead: boolean
  /** Gives pending records their positions. Resolves to whether there may be more. */
  arrange(): Promise<boolean>
  /** Takes or extends a lease. Resolves to whether this process has it. */
  lease(sink: LeasedSink): Promise<boolean>
  /** Resolves to whether this process still has the lease. */
  note(sink: LeasedSink, note: DeliveryNote): Promise<boolean>
}

export interface LeasedSink {
  readonly id: string
  readonly owner: string
  readonly leaseMs: number
}

export interface TestDelivery {
  readonly eventId: string
  readonly error: string | undefined
  readonly status: number | undefined
  readonly durationMs: number
}

/** How soon after an event its delivery begins: long enough for several to share a round. */
const WAKE_MS = 250
const ROUND_MS = 500
/** Another process delivers when the lease of one that died has ended. */
const LEASE_MS = 15_000
/** A lease of which more than this has passed is taken again before a delivery. */
const RENEW_MS = 5_000
/** A batch begins no further message after this time, well before its lease ends. The next one has what happened meanwhile. */
const BATCH_MS = 2_000

/** Delivers the events of the outbox to the sinks, as the one process that has the lease of a sink. */
export class SinkDelivery {
  readonly #parts: SinkDeliveryParts
  readonly #owner = newId()
  readonly #busy = new Map<string, Promise<void>>()
  /** Of sinks that did not take all of the last batch: events after their position that they have nevertheless, since they are about other subjects than one that failed or is slow. */
  readonly #ahead = new Map<string, readonly number[]>()
  readonly #leased = new Set<string>()
  /** What was read last in this round. */
  #read: ReadRows = NOTHING_READ
  readonly #timer: NodeJS.Timeout | undefined
  #wake: NodeJS.Timeout | undefined
  #round: Promise<void> | undefined
  #isStopping = false

  constructor(parts: SinkDeliveryParts) {
    this.#parts = parts
    if (parts.isLead) this.#timer = setInterval(() => void this.#runRound(), ROUND_MS).unref()
  }

  /** Delivers soon. */
  wake(): void {
    const { isLead, sinks } = this.#parts
    if (this.#isStopping || !isLead || !sinks.exist) return
    this.#wake ??= setTimeout(() => {
      this.#wake = undefined
      void this.#runRound()
    }, WAKE_MS).unref()
  }

  /** Gives pending records their positions, and delivers what is due. Resolves when that is done. */
  async deliver(): Promise<void> {
    if (!this.#parts.isLead) return
    await this.#parts.sinks.load()
    await this.#round
    await this.#runRound()
    await Promise.all(this.#busy.values())
  }

  /** Sends an event to a sink that only tests it. */
  async test(sink: StoredSink, id = newId()): Promise<TestDelivery> {
    const started = performance.now()
    const event = this.#notice(id, sink.position, { event_type: 'test', message: 'a test event' }, sink)
    const { error } = await this.#send(sink, { rows: [], after: sink.position, ahead: [], notice: event })
    return {
      eventId: id,
      error: error === undefined ? undefined : describeFailure(error),
      status: error instanceof OutboundError ? error.status : undefined,
      durationMs: Math.round(performance.now() - started),
    }
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    clearInterval(this.#timer)
    clearTimeout(this.#wake)
    await this.#round
    await Promise.all(this.#busy.values())
    const { lease } = this.#parts
    await Promise.all([...this.#leased].map((id) => lease({ id, owner: this.#owner, leaseMs: 0 }).catch(() => {})))
  }

  async #runRound(): Promise<void> {
    this.#round ??= this.#begin().finally(() => {
      this.#round = undefined
    })
    await this.#round
  }

  /** Begins deliveries to sinks that have none under way. */
  async #begin(): Promise<void> {
    const { store, sinks, arrange, log } = this.#parts
    try {
      if (!sinks.isLoaded) await sinks.load()
      if (await hasPendingRecords(store.db)) while (await arrange());
      if (!sinks.exist || this.#isStopping) return
      const newest = await loadNewestPosition(store.db)
      this.#read = NOTHING_READ
      const known = await listSinks(store.db)
      this.#forgetDeleted(new Set(known.map(({ id }) => id)))
      for (const sink of known) {
        if (!this.#isDue(sink, newest) || this.#busy.has(sink.id)) continue
        const delivering = this.#deliverTo(sink).finally(() => this.#busy.delete(sink.id))
        this.#busy.set(sink.id, delivering)
      }
    } catch (error) {
      log.warn({ err: error }, 'events could not be delivered yet')
    }
  }

  #forgetDeleted(known: ReadonlySet<string>): void {
    for (const id of this.#ahead.keys()) if (!known.has(id)) this.#ahead.delete(id)
    for (const id of this.#leased) if (!known.has(id)) this.#leased.delete(id)
  }

  #isDue({ enabled, position, retryAt, leaseOwner, leaseUntil }: StoredSink, newest: number): boolean {
    const now = this.#parts.clock.now()
    const isFree = leaseOwner === null || leaseOwner === this.#owner || leaseUntil <= now
    return enabled && position < newest && retryAt <= now && isFree
  }

  async #deliverTo(due: StoredSink): Promise<void> {
    const { store, lease, note, log } = this.#parts
    const leased = { id: due.id, owner: this.#owner, leaseMs: LEASE_MS }
    try {
      // Another process has delivered meanwhile, or an administrator has asked for the same events again.
      if (due.leaseOwner !== this.#owner) this.#ahead.delete(due.id)
      if (!this.#hasLease(due) && !(await lease(leased))) return
      this.#leased.add(due.id)
      let { position } = due
      let sink: StoredSink | undefined = due
      // Read again for each batch: an administrator may have disabled it meanwhile, or changed where it sends.
      for (; sink?.enabled && !this.#isStopping; sink = await findSink(store.db, due.id)) {
        const { rows, dropped } = await this.#rowsAfter(position, this.#ahead.has(due.id) ? 'far' : 'near')
        if (rows.length === 0 && dropped === 0) return
        const delivered = await this.#deliverBatch(sink, rows, { position, dropped })
        if (!(await note(leased, delivered)) || delivered.failure) return
        position = delivered.position
      }
    } catch (error) {
      log.warn({ err: error, sinkId: due.id }, 'events could not be delivered to a sink yet')
    }
  }

  /** Each delivery that is noted extends the lease, so that it need not be taken again. */
  #hasLease({ leaseOwner, leaseUntil }: StoredSink): boolean {
    return leaseOwner === this.#owner && leaseUntil > this.#parts.clock.now() + LEASE_MS - RENEW_MS
  }

  /** The next events, and how many before them were deleted. Sinks that are equally far share what was read. */
  async #rowsAfter(position: number, reach: OutboxReach): Promise<{ rows: readonly OutboxRow[]; dropped: number }> {
    const { db } = this.#parts.store
    if (this.#read.after !== position || this.#read.reach !== reach)
      this.#read = { after: position, reach, rows: loadOutbox(db, position, reach) }
    const rows = await this.#read.rows
    if (rows[0] && firstPositionOf(rows[0]) <= position + 1) return { rows, dropped: 0 }
    const { first } = await loadOutboxRange(db)
    const dropped = Math.max(0, first - 1 - position)
    return { rows: await loadOutbox(db, position + dropped, reach), dropped }
  }

  async #deliverBatch(
    sink: StoredSink,
    rows: readonly OutboxRow[],
    { position, dropped }: { readonly position: number; readonly dropped: number },
  ): Promise<DeliveryNote> {
    const notice = dropped > 0 && this.#dropNotice(sink, position, dropped)
    const ahead = this.#ahead.get(sink.id) ?? []
    const sent = await this.#send(sink, { rows, after: position + dropped, ahead, ...(notice && { notice }) })
    const last = rows.at(-1)?.position ?? sent.after
    // The other kinds take events in their order.
    const isBehind = sink.kind === 'webhook' && sent.after < last
    if (isBehind || sent.ahead.length > 0) this.#ahead.set(sink.id, sent.ahead)
    else this.#ahead.delete(sink.id)
    const isNoticeMissing = notice && !sent.isNoticeSent
    return {
      position: isNoticeMissing ? position : sent.after,
      dropped: isNoticeMissing ? 0 : dropped,
      hasDelivered: sent.hasSent,
      failure: sent.error === undefined ? null : this.#failure(sink, sent.error, sent.hasSent),
    }
  }

  async #send(sink: StoredSink, batch: OutboxBatch): Promise<SentBatch> {
    try {
      return await this.#parts.send(recipientOf(sink, this.#parts), batch, BATCH_MS)
    } catch (error) {
      return nothingSent(batch, error)
    }
  }

  #failure(sink: StoredSink, error: unknown, hasDelivered: boolean): DeliveryNote['failure'] {
    const { clock, log } = this.#parts
    const failures = hasDelivered ? 1 : sink.failures + 1
    const message = describeFailure(error)
    if (failures === 1) log.warn({ err: error, sinkId: sink.id }, 'events could not be delivered to a sink')
    return { message, retryAt: clock.now() + retryDelayMs(failures, Math.random()) }
  }

  #dropNotice(sink: StoredSink, position: number, dropped: number): SinkEvent {
    const [first, last] = [position + 1, position + dropped]
    const message = `the events ${first} to ${last} were deleted before they were delivered: they were too old or too many`
    const members = { event_type: 'dropped', first_position: first, last_position: last, dropped, message } as const
    // The same id for every delivery of the notice.
    return this.#notice(`${sink.id}-dropped-${first}-${last}`, last, members, sink)
  }

  #notice(
    id: string,
    position: number,
    members: { readonly event_type: 'test' | 'dropped'; readonly message: string },
    sink: StoredSink,
  ): SinkEvent {
    const at = this.#parts.clock.now()
    const event = { namespace: 'eventSink', event_sink_id: sink.id, event_sink_name: sink.name, ...members } as const
    return { id, position, at, text: eventText(event, this.#parts.nodeId, at) }
  }
}

interface ReadRows {
  readonly after: number
  readonly reach: OutboxReach
  readonly rows: Promise<readonly OutboxRow[]>
}

const NOTHING_READ: ReadRows = { after: -1, reach: 'near', rows: Promise.resolve([]) }

/** For administrators. It quotes nothing that a server sent. */
function describeFailure(error: unknown): string {
  if (error instanceof OutboundError) return error.message
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' ? `the event could not be written: ${code}` : 'the event could not be sent'
}
