import type { SinkSettings } from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import type { StoredSink } from '../../store/sink-row.ts'

/** Where the events of a sink are sent, and which of them. */
export interface Recipient extends Pick<SinkSettings, 'name' | 'kind' | 'url' | 'format' | 'filter'> {
  readonly id: string
  /** Messages are signed with each. */
  readonly secrets: readonly string[]
}

/** For what the secret of a sink is sealed. */
export const sinkSecretUse = (sinkId: string): string => `secret of event sink ${sinkId}`

export function recipientOf(sink: StoredSink, { sealing, clock }: { sealing: Sealing; clock: Clock }): Recipient {
  const { id, name, kind, url, format, filter, secret, previousSecret, previousSecretUntil } = sink
  const hasPrevious = previousSecret !== null && (previousSecretUntil ?? 0) > clock.now()
  const sealed = [secret, hasPrevious ? previousSecret : null].filter((each) => each !== null)
  return { id, name, kind, url, format, filter, secrets: sealed.map((each) => sealing.open(each, sinkSecretUse(id))) }
}
