import type { EventSinkPatch, EventSinkWrite } from '@countersign/contract'
import { patchedSink, replacedSink, type SinkSettings, sinkDestination, validateSink } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { getSink } from '../../store/reads/event-sink-reads.ts'
import type { StoredSink } from '../../store/sink-row.ts'
import type { Transaction } from '../../store/transaction.ts'
import { type SinkSecrets, updateSink } from '../../store/writes/event-sink-writes.ts'

const ACCESS = { entity: 'admin', action: 'change' } as const

/** How long the secret before a new one signs too, so that receivers can change over. */
const OVERLAP_MS = 24 * 3_600_000

interface ChangeSink {
  readonly id: string
  /** Sealed; null removes the stored one, undefined keeps it. */
  readonly secret: string | null | undefined
}

export const replaceSink = operation({
  name: 'eventSink.replace',
  access: ACCESS,
  target: 'eventSinks',
  async run(tx, { id, body, secret }: ChangeSink & { readonly body: EventSinkWrite }): Promise<void> {
    const current = await getSink(tx.db, id)
    await changeSink(tx, current, replacedSink(current, body), secret)
  },
})

export const patchSink = operation({
  name: 'eventSink.patch',
  access: ACCESS,
  target: 'eventSinks',
  async run(tx, { id, body, secret }: ChangeSink & { readonly body: EventSinkPatch }): Promise<void> {
    const current = await getSink(tx.db, id)
    const next = patchedSink(current, body)
    if (next !== current || secret !== undefined) await changeSink(tx, current, next, secret)
  },
})

async function changeSink(
  tx: Transaction,
  current: StoredSink,
  next: SinkSettings,
  secret: string | null | undefined,
): Promise<void> {
  validateSink(next)
  const isMoved = sinkDestination(next) !== sinkDestination(current)
  await updateSink(tx, current.id, { settings: next, secrets: nextSecrets(current, next, secret, tx.now), isMoved })
}

/** A changed address drops the secrets: what signs for the old receiver must not sign for the new one. */
function nextSecrets(
  current: StoredSink,
  next: SinkSettings,
  given: string | null | undefined,
  now: number,
): SinkSecrets {
  const isSameDestination = sinkDestination(next) === sinkDestination(current)
  if (given === undefined && isSameDestination) return current
  const hasOverlap = isSameDestination && Boolean(given) && current.secret !== null
  return {
    secret: given ?? null,
    previousSecret: hasOverlap ? current.secret : null,
    previousSecretUntil: hasOverlap ? now + OVERLAP_MS : null,
  }
}
