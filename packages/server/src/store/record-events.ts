import type { Kysely } from 'kysely'
import type { Change, OwnChange } from './change.ts'
import { eventLines } from './event-lines.ts'
import type { OperationMeta, RecordedEvent } from './operation-meta.ts'
import { hasSinks } from './reads/event-sink-reads.ts'
import { isRecordedEntity } from './recorded-state.ts'
import type { Database } from './schema.ts'
import type { NewRecord } from './writes/outbox-writes.ts'

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

/** What is to be recorded of the events of an operation. */
export function recordOfEvents(
  events: readonly RecordedEvent[],
  { node = NO_NODE, now: at }: OperationMeta,
): NewRecord[] {
  if (events.length === 0) return []
  return [{ node, at, kind: 'events', content: eventLines(events.map((event) => ({ ...event, at }))) }]
}

/**
 * What is to be recorded of the changes of an operation, for the audit record and for sinks. Ended sessions are recorded only while there are sinks. A
 * login, which changes no entity with a state, has no records.
 */
export async function recordsOfChanges(
  db: Db,
  changes: readonly OwnChange[],
  meta: OperationMeta,
  operation: string,
): Promise<NewRecord[]> {
  if (changes.length === 0) return []
  const records: NewRecord[] = []
  const { node = NO_NODE, now: at, actorId, source } = meta
  const common: RecordedOperation = { operation, meta: { actorId, ...(source && { source }) } }
  const ended = changes.filter(({ session }) => session)
  const reported = ended.length > 0 && (await hasSinks(db)) ? ended : []
  for (const change of [...changes.filter(({ states }) => states), ...reported]) {
    const content: RecordedChange = { ...common, change }
    records.push({ node, at, kind: 'change', content: JSON.stringify(content) })
  }
  const many = changes.filter(({ isOneOfMany, entity }) => isOneOfMany && isRecordedEntity(entity))
  for (const [first, ...others] of Map.groupBy(many, ({ entity, action }) => `${entity} ${action}`).values()) {
    const ids = [first, ...others].flatMap((change) => (change ? [change.id] : []))
    for (let from = 0; first && from < ids.length; from += MAX_IDS) {
      const { entity, action } = first
      const content: RecordedChanges = { ...common, entity, action, ids: ids.slice(from, from + MAX_IDS) }
      records.push({ node, at, kind: 'changes', content: JSON.stringify(content) })
    }
  }
  return records
}

/** Operations whose events share a row: a row stays small enough to be read at once. */
const MAX_JOINED = 64

/** Joins the events of operations that are committed together: one row costs much less than many. */
export function joinRecords(records: readonly NewRecord[]): NewRecord[] {
  const joined: NewRecord[] = []
  let lines: string[] = []
  let last: NewRecord | undefined
  const end = (): void => {
    if (last) joined.push({ ...last, content: lines.join('\n') })
    last = undefined
    lines = []
  }
  for (const record of records) {
    if (record.kind !== 'events') {
      end()
      joined.push(record)
      continue
    }
    if (last?.node !== record.node || lines.length >= MAX_JOINED) end()
    lines.push(record.content)
    last = record
  }
  end()
  return joined
}
