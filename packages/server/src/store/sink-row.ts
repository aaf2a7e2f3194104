import type { SinkSettings } from '@countersign/core'
import { instant, instantOrNull, int, text, textOrNull } from './columns/column.ts'
import { type CellsOf, type ColumnsFor, createReader, createWriter } from './columns/column-map.ts'
import { SINK_COLUMNS } from './columns/sink-columns.ts'
import type { EventSinkRow } from './event-schema.ts'

/** A stored sink: its settings, its secrets and its place in the outbox. */
export interface StoredSink extends SinkSettings {
  readonly id: string
  /** Sealed. */
  readonly secret: string | null
  readonly previousSecret: string | null
  readonly previousSecretUntil: number | null
  readonly position: number
  readonly dropped: number
  readonly lastDeliveryAt: number | null
  readonly lastError: string | null
  readonly failures: number
  readonly retryAt: number
  readonly leaseOwner: string | null
  readonly leaseUntil: number
  readonly createdAt: number
  readonly updatedAt: number
}

const STORED_SINK = {
  id: text(),
  ...SINK_COLUMNS,
  secret: textOrNull(),
  previousSecret: textOrNull(),
  previousSecretUntil: instantOrNull(),
  position: int(),
  dropped: int(),
  lastDeliveryAt: instantOrNull(),
  lastError: textOrNull(),
  failures: int(),
  retryAt: instant(),
  leaseOwner: textOrNull(),
  leaseUntil: instant(),
  createdAt: instant(),
  updatedAt: instant(),
} satisfies ColumnsFor<StoredSink>

export const sinkFromRow = createReader<EventSinkRow, StoredSink>(STORED_SINK)

export const sinkColumns = createWriter<SinkSettings, CellsOf<typeof SINK_COLUMNS>>(SINK_COLUMNS)
