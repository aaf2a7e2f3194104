import type { AuditScope } from '@countersign/core'
import type { Generated, Selectable } from 'kysely'
import type { Bool } from './columns/column.ts'
import type { CellsOf } from './columns/column-map.ts'
import type { SINK_COLUMNS } from './columns/sink-columns.ts'

/** A receiver of events, with its place in the outbox. */
interface EventSinkTable extends CellsOf<typeof SINK_COLUMNS> {
  id: string
  /** Sealed. */
  secret: string | null
  /** Sealed: the secret before this one, which also signs until `previous_secret_until`. */
  previous_secret: string | null
  previous_secret_until: number | null
  /** The position of the last event that was delivered, or passed over. */
  position: number
  dropped: Generated<number>
  last_delivery_at: number | null
  last_error: string | null
  /** In a row. */
  failures: Generated<number>
  retry_at: Generated<number>
  /** The process that delivers, until `lease_until`. */
  lease_owner: string | null
  lease_until: Generated<number>
  is_system: Generated<Bool>
  created_at: number
  updated_at: number
}

/** What has happened, before it has a position. */
interface PendingRecordTable {
  seq: Generated<number>
  /** The node whose operation wrote it. */
  node: string
  at: number
  kind: PendingKind
  /** The lines of events, else JSON. */
  content: string
}
/** `event` is one event as JSON, which earlier releases wrote. */
export const KINDS_WITH_EVENTS = ['events', 'event', 'change'] as const
export type PendingKind = (typeof KINDS_WITH_EVENTS)[number] | 'changes' | 'decisions'

/** The events for sinks, in one order over all nodes. A row has the events that were given positions together. */
interface EventOutboxTable {
  /** Of its last event. */
  position: number
  /** Of its last event. */
  id: string
  /** When the newest of them happened. */
  at: number
  /** The lines of events; one event without its line's head in rows of earlier releases. */
  content: string
}

/** An entry of the audit record. */
interface AuditEntryTable {
  id: string
  node: string
  sequence: number
  at: number
  actor_id: string | null
  actor_name: string | null
  action: string
  object_kind: string | null
  object_id: string | null
  object_name: string | null
  request_id: string | null
  address: string | null
  /** Entries of other organizations than the controller's have no other columns but those of the chain. */
  scope: AuditScope
  /** The organization of a record of the hosted API, or of a decision; null for the controller. */
  organization_id: string | null
  /** JSON of `AuditContent`. */
  content: string
  content_hash: string
  previous_hash: string
  hash: string
}

/** The chain of one node: its newest entry, the one that was signed last, and the last one that retention deleted. */
interface AuditStreamTable {
  node: string
  sequence: number
  hash: string
  signed_sequence: Generated<number>
  signed_hash: string | null
  signature: string | null
  signed_at: Generated<number>
  anchor_sequence: Generated<number>
  anchor_hash: string | null
  anchor_signature: string | null
}

export interface EventTables {
  audit_entries: AuditEntryTable
  audit_streams: AuditStreamTable
  event_sinks: EventSinkTable
  pending_records: PendingRecordTable
  event_outbox: EventOutboxTable
  /** One row, with the position of the newest event. Who gives positions locks it. */
  outbox_state: { id: number; position: number }
}

export type EventSinkRow = Selectable<EventSinkTable>
export type AuditEntryRow = Selectable<AuditEntryTable>
export type AuditStreamRow = Selectable<AuditStreamTable>
export type PendingRecordRow = Selectable<PendingRecordTable>
export type EventOutboxRow = Selectable<EventOutboxTable>
