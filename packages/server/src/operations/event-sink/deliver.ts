import { operation } from '../../store/operation.ts'
import { type DeliveryNote, noteDelivery as noteRow, takeLease } from '../../store/writes/event-sink-writes.ts'

export interface LeaseSink {
  readonly id: string
  /** The process that delivers. */
  readonly owner: string
  readonly leaseMs: number
}

/** Takes or extends the lease of a sink: one process delivers at a time. Another takes over when the lease has ended. Returns whether it has it. */
export const leaseSink = operation({
  name: 'eventSink.lease',
  access: 'none',
  needsWriteLock: false,
  isRecorded: false,
  run: (tx, { id, owner, leaseMs }: LeaseSink): Promise<boolean> =>
    takeLease(tx, id, { owner, until: tx.now + leaseMs }),
})

export interface NoteDelivery extends LeaseSink {
  readonly note: DeliveryNote
}

/** Notes how far a sink is, and extends the lease. Returns whether this process still has the lease. */
export const noteDelivery = operation({
  name: 'eventSink.noteDelivery',
  access: 'none',
  needsWriteLock: false,
  isRecorded: false,
  run: (tx, { id, owner, leaseMs, note }: NoteDelivery): Promise<boolean> =>
    noteRow(tx, id, { owner, until: tx.now + leaseMs }, note),
})
