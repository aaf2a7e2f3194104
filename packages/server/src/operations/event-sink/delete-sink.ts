import { operation } from '../../store/operation.ts'
import { getSink } from '../../store/reads/event-sink-reads.ts'
import { deleteSink as deleteRow } from '../../store/writes/event-sink-writes.ts'

/** Deletes a sink. What it has not received stays in the outbox for the others. */
export const deleteSink = operation({
  name: 'eventSink.delete',
  access: { entity: 'admin', action: 'change' },
  target: 'eventSinks',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    await getSink(tx.db, id)
    await deleteRow(tx, id)
  },
})
