import type { SinkSettings } from '@countersign/core'
import { sql } from 'kysely'
import { type StoredSink, sinkColumns } from '../sink-row.ts'
import type { Transaction } from '../transaction.ts'
import { rejectDuplicates } from '../unique-violation.ts'

const ENTITY = 'eventSinks'
/** The process that delivers begins anew. */
const NO_LEASE = { lease_owner: null, lease_until: 0 } as const

/** The sealed secrets of a sink. */
export type SinkSecrets = Pick<StoredSink, 'secret' | 'previousSecret' | 'previousSecretUntil'>

function secretColumns({ secret, previousSecret, previousSecretUntil }: SinkSecrets) {
  return { secret, previous_secret: previousSecret, previous_secret_until: previousSecretUntil }
}

/** The sink starts with the next event. Fails with COULD_NOT_VALIDATE when the name is taken. */
export async function insertSink(
  tx: Transaction,
  id: string,
  { settings, secrets }: { readonly settings: SinkSettings; readonly secrets: SinkSecrets },
): Promise<void> {
  const { db, now } = tx
  const newest = await db.selectFrom('outbox_state').select('position').where('id', '=', 1).executeTakeFirstOrThrow()
  await rejectDuplicates({ name: settings.name }, () =>
    db
      .insertInto('event_sinks')
      .values({
        id,
        ...sinkColumns(settings),
        ...secretColumns(secrets),
        position: Number(newest.position),
        created_at: now,
        updated_at: now,
      })
      .execute(),
  )
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

/** A changed sink is tried at once; one with another destination has none of what the last one had received out of turn. Fails with COULD_NOT_VALIDATE when the name is taken. */
export async function updateSink(
  tx: Transaction,
  id: string,
  {
    settings,
    secrets,
    isMoved,
  }: { readonly settings: SinkSettings; readonly secrets: SinkSecrets; readonly isMoved: boolean },
): Promise<void> {
  const lease = isMoved ? NO_LEASE : {}
  await rejectDuplicates({ name: settings.name }, () =>
    tx.db
      .updateTable('event_sinks')
      .set({ ...sinkColumns(settings), ...secretColumns(secrets), ...lease, retry_at: 0, updated_at: tx.now })
      .where('id', '=', id)
      .execute(),
  )
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

export async function deleteSink(tx: Transaction, id: string): Promise<void> {
  await tx.db.deleteFrom('event_sinks').where('id', '=', id).execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}

/** Moves a sink to another position. The process that delivers for it loses its lease, and so does not move it back. */
export async function moveSink(tx: Transaction, id: string, position: number): Promise<void> {
  await tx.db
    .updateTable('event_sinks')
    .set({ position, retry_at: 0, ...NO_LEASE })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Takes or extends the lease of a sink. Returns whether `owner` has it. */
export async function takeLease(
  { db, now }: Transaction,
  id: string,
  { owner, until }: { readonly owner: string; readonly until: number },
): Promise<boolean> {
  const taken = await db
    .updateTable('event_sinks')
    .set({ lease_owner: owner, lease_until: until })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('lease_owner', 'is', null), eb('lease_owner', '=', owner), eb('lease_until', '<=', now)]))
    .returning('id')
    .execute()
  return taken.length > 0
}

/** What a process notes about the deliveries to a sink. */
export interface DeliveryNote {
  /** All events until this one were delivered, passed over or dropped. */
  readonly position: number
  /** How many of them were dropped before they were delivered. */
  readonly dropped: number
  readonly hasDelivered: boolean
  /** Null when the last delivery succeeded. */
  readonly failure: { readonly message: string; readonly retryAt: number } | null
}

/** Only while `owner` has the lease: the process that took it over continues from what it read. Returns whether it was noted. */
export async function noteDelivery(
  { db, now }: Transaction,
  id: string,
  { owner, until }: { readonly owner: string; readonly until: number },
  { position, dropped, hasDelivered, failure }: DeliveryNote,
): Promise<boolean> {
  const noted = await db
    .updateTable('event_sinks')
    .set({
      position,
      dropped: sql<number>`dropped + ${dropped}`,
      ...(hasDelivered && { last_delivery_at: now }),
      last_error: failure?.message ?? null,
      failures: failure ? sql<number>`failures + 1` : 0,
      retry_at: failure?.retryAt ?? 0,
      lease_until: until,
    })
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .returning('id')
    .execute()
  return noted.length > 0
}
