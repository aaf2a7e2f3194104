import type { EventSinkCreate } from '@countersign/contract'
import { AppError, sinkFromBody, validateSink } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { listSinks } from '../../store/reads/event-sink-reads.ts'
import { insertSink } from '../../store/writes/event-sink-writes.ts'
import { arrangePending } from './arrange-records.ts'

export interface CreateSink {
  readonly id: string
  readonly body: EventSinkCreate
  /** Sealed. */
  readonly secret: string | null
}

/** Each sink reads every event. */
const MAX_SINKS = 32

/** Creates a sink, which receives the events from now on. */
export const createSink = operation({
  name: 'eventSink.create',
  access: { entity: 'admin', action: 'change' },
  async run(tx, { id, body, secret }: CreateSink): Promise<void> {
    const settings = sinkFromBody(body)
    validateSink(settings)
    if ((await listSinks(tx.db)).length >= MAX_SINKS) {
      throw new AppError('COULD_NOT_VALIDATE', { message: `there can be at most ${MAX_SINKS} event sinks` })
    }
    // What happened before has its positions before it: a sink starts with what comes after.
    while (await arrangePending(tx));
    await insertSink(tx, id, { settings, secrets: { secret, previousSecret: null, previousSecretUntil: null } })
  },
})
