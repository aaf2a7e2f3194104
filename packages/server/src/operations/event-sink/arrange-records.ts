import { changeEvent } from '../../events/change-events.ts'
import { eventText } from '../../events/event-text.ts'
import { type RecordedEvent, readEventLines } from '../../store/event-lines.ts'
import type { PendingRecordRow } from '../../store/event-schema.ts'
import { operation } from '../../store/operation.ts'
import { hasSinks } from '../../store/reads/event-sink-reads.ts'
import type { RecordedChange } from '../../store/record-events.ts'
import type { Transaction } from '../../store/transaction.ts'
import {
  deleteOldEvents,
  deletePendingRecords,
  loadPendingRecords,
  lockOutbox,
  placeEvents,
} from '../../store/writes/outbox-writes.ts'
import { chainEntries } from '../audit/chain-entries.ts'

/** Rows, each with the events of many operations. */
const BATCH = 64

/**
 * Chains the pending records in the audit record, and gives their events positions in the outbox. One transaction does so at a time, over all nodes, and sees what was committed before: a
 * position never becomes visible after a higher one. Returns whether there may be more.
 */
export const arrangeRecords = operation({
  name: 'event.arrange',
  access: 'none',
  needsWriteLock: false,
  isRecorded: false,
  run: (tx): Promise<boolean> => arrangePending(tx),
})

/** The part of `arrangeRecords` that other operations share. */
export async function arrangePending(tx: Transaction): Promise<boolean> {
  const newest = await lockOutbox(tx)
  const rows = await loadPendingRecords(tx, BATCH)
  if (rows.length === 0) return false
  await chainEntries(tx, rows)
  await placeEvents(tx, rows.flatMap(eventsOf), newest)
  await deletePendingRecords(
    tx,
    rows.map(({ seq }) => seq),
  )
  return rows.length === BATCH
}

/** The events of a record. */
function eventsOf({ node, at, kind, content }: PendingRecordRow): RecordedEvent[] {
  if (kind === 'events') return readEventLines(content)
  if (kind === 'event') return [{ ...(JSON.parse(content) as Omit<RecordedEvent, 'at'>), at }]
  if (kind !== 'change') return []
  const { change, meta } = JSON.parse(content) as RecordedChange
  const event = changeEvent(change, meta)
  if (!event) return []
  const { eventId: id = '', organizationId } = change
  return [{ id, at, text: eventText(event, node, at), organizationId }]
}

export interface PruneOutbox {
  readonly keepMs: number
  readonly keepRows: number
}

const PRUNE_BATCH = 1_000

/** Deletes events that are too old or too many, and all of them when there are no sinks. Returns whether there may be more. */
export const pruneOutbox = operation({
  name: 'event.prune',
  access: 'none',
  needsWriteLock: false,
  isRecorded: false,
  async run(tx, { keepMs, keepRows }: PruneOutbox): Promise<boolean> {
    const newest = await lockOutbox(tx)
    const first = (await hasSinks(tx.db)) ? newest + 1 - keepRows : newest + 1
    return (await deleteOldEvents(tx, { before: tx.now - keepMs, first, limit: PRUNE_BATCH })) === PRUNE_BATCH
  },
})
