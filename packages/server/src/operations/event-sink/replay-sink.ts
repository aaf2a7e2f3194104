import { fieldError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { getSink, loadOutboxRange } from '../../store/reads/event-sink-reads.ts'
import { moveSink } from '../../store/writes/event-sink-writes.ts'

/** Delivers the events from a position again. Returns the position of the first one: older events may have been deleted. */
export const replaySink = operation({
  name: 'eventSink.replay',
  access: { entity: 'admin', action: 'change' },
  target: 'eventSinks',
  async run(tx, { id, from }: { readonly id: string; readonly from: number }): Promise<number> {
    await getSink(tx.db, id)
    const { first, last } = await loadOutboxRange(tx.db)
    if (from > last + 1) throw fieldError('from', `from is at most ${last + 1}, the position of the next event`, from)
    const start = Math.max(from, first)
    await moveSink(tx, id, start - 1)
    return start
  },
})
