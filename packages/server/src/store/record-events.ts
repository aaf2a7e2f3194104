import type { Kysely } from 'kysely'
import type { Change, OwnChange } from './change.ts'
import type { OperationMeta, RecordedEvent } from './operation-meta.ts'
import { hasSinks } from './reads/event-sink-reads.ts'
import { isRecordedEntity } from './recorded-state.ts'
import type { Database } from './schema.ts'
import { insertPendingRecord } from './writes/outbox-writes.ts'

type Db = Kysely<Database>

/** What is recorded of an operation, with its actor and source. */
interface RecordedOperation {
  readonly operation: string
  readonly meta: Pick<OperationMeta, 'actorId' | 'source'>
}

/** A record of the kind `change`: enough for its audit entry and for the event about it. */
export interface RecordedChange extends RecordedOperation {
  readonly change: OwnChange
}

/** A record of the kind `changes`: many entities that an operation changed at once, without their states. */
export interface RecordedChanges extends RecordedOperation, Pick<Change, 'entity' | 'action'> {
  readonly ids: readonly string[]
}

/** The node of operations that run before there is one. */
const NO_NODE = 'start'
const MAX_IDS = 500

/** Records events in the transaction of an operation. */
export async function recordEvents(
  db: Db,
  events: readonly RecordedEvent[],
  { node = NO_NODE, now: at }: OperationMeta,
): Promise<void> {
  for (const event of events) {
    await insertPendingRecord(db, { node, at, kind: 'event', content: JSON.stringify(event) })
  }
}

/**
 * Records the changes of an operation for the audit record, and for sinks. Ended sessions are recorded only while there are sinks. A login, which changes
 * no entity with a state, records nothing here.
 */
export async function recordChanges(
  db: Db,
  changes: readonly OwnChange[],
  meta: OperationMeta,
  operation: string,
): Promise<void> {
  const { node = NO_NODE, now: at, actorId, source } = meta
  const common: RecordedOperation = { operation, meta: { actorId, ...(source && { source }) } }
  const ended = changes.filter(({ session }) => session)
  const reported = ended.length > 0 && (await hasSinks(db)) ? ended : []
  for (const change of [...changes.filter(({ states }) => states), ...reported]) {
    const content: RecordedChange = { ...common, change }
    await insertPendingRecord(db, { node, at, kind: 'change', content: JSON.stringify(content) })
  }
  const many = changes.filter(({ isOneOfMany, entity }) => isOneOfMany && isRecordedEntity(entity))
  for (const [first, ...others] of Map.groupBy(many, ({ entity, action }) => `${entity} ${action}`).values()) {
    const ids = [first, ...others].flatMap((change) => (change ? [change.id] : []))
    for (let from = 0; first && from < ids.length; from += MAX_IDS) {
      const { entity, action } = first
      const content: RecordedChanges = { ...common, entity, action, ids: ids.slice(from, from + MAX_IDS) }
      await insertPendingRecord(db, { node, at, kind: 'changes', content: JSON.stringify(content) })
    }
  }
}
