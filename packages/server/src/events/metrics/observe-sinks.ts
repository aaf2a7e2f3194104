import { Counter, Gauge } from 'prom-client'
import { listAuditStreams } from '../../store/reads/audit-reads.ts'
import { listSinks, loadNewestPosition } from '../../store/reads/event-sink-reads.ts'
import type { StoredSink } from '../../store/sink-row.ts'
import type { Store } from '../../store/store.ts'
import type { Metrics } from './metrics.ts'

interface ObservedSinks {
  readonly metrics: Pick<Metrics, 'registry'>
  readonly store: Pick<Store, 'db'>
  readonly recorder: { readonly lost: number }
}

type Read = (sink: StoredSink, newest: number) => number

/** Registers the metrics of event sinks and of the audit record. All nodes see the same ones, which are in the store. */
export function observeSinks({ metrics, store, recorder }: ObservedSinks): void {
  const registers = [metrics.registry]
  const ofSinks = (name: string, help: string, read: Read): void => {
    new Gauge({
      name,
      help,
      labelNames: ['sink'],
      registers,
      aggregator: 'max',
      async collect() {
        this.reset()
        try {
          const newest = await loadNewestPosition(store.db)
          for (const sink of await listSinks(store.db)) this.set({ sink: sink.name }, read(sink, newest))
        } catch {
          // The other metrics are read nevertheless.
        }
      },
    })
  }
  ofSinks('countersign_event_sink_behind', 'Events that a sink has not received yet', ({ position }, newest) =>
    Math.max(0, newest - position),
  )
  ofSinks('countersign_event_sink_failing', 'Whether the last delivery to a sink failed', ({ lastError }) =>
    lastError === null ? 0 : 1,
  )
  ofSinks(
    'countersign_event_sink_dropped',
    'Events that were deleted before a sink received them',
    ({ dropped }) => dropped,
  )
  ofSinks(
    'countersign_event_sink_last_delivery_seconds',
    'When a sink last received an event, in seconds since 1970',
    ({ lastDeliveryAt }) => (lastDeliveryAt ?? 0) / 1000,
  )
  new Gauge({
    name: 'countersign_audit_unsigned_entries',
    help: 'Entries of the audit record that no head vouches for yet',
    registers,
    aggregator: 'max',
    async collect() {
      try {
        const streams = await listAuditStreams(store.db)
        this.set(streams.reduce((sum, row) => sum + Number(row.sequence) - Number(row.signed_sequence), 0))
      } catch {
        this.reset()
      }
    },
  })
  new Counter({
    name: 'countersign_events_lost_total',
    help: 'Events that could not be recorded for sinks because the store failed for too long',
    registers,
    collect() {
      this.reset()
      this.inc(recorder.lost)
    },
  })
}
