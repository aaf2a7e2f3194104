import type { Kysely } from 'kysely'
import type { Change, ChangedEntity, OwnChange } from './change.ts'
import type { AnyOperation } from './operation.ts'
import type { OperationMeta } from './operation-meta.ts'
import { hasSinks } from './reads/event-sink-reads.ts'
import { isRecordedEntity, loadRecordedStates, type RecordedState } from './recorded-state.ts'
import type { Database } from './schema.ts'
import type { NewRecord } from './writes/record-writes.ts'

type Db = Kysely<Database>

/** What is recorded of an operation, with its actor and source. */
interface RecordedOperation {
  readonly operation: string
  readonly meta: Pick<OperationMeta, 'actorId' | 'source'>
}

/** A record of the kind `change`: enough for its audit entry and for the event about it. */
export interface RecordedChange extends RecordedOperation {
  readonly change: OwnChange
  /** Whether a session that has ended has an audit entry. */
  readonly isAudited?: true
}

/** A record of the kind `changes`: many entities that an operation changed at once. */
export interface RecordedChanges extends RecordedOperation, Pick<Change, 'entity' | 'action'> {
  readonly ids: readonly string[]
  /** By id, after the change. Without those of entities that were deleted, and of too many. */
  readonly states?: Readonly<Record<string, Pick<RecordedState, 'text' | 'digests' | 'organizationId'>>>
  /** Of sessions of one identity that ended at once: whose, and how many, of which `ids` has some. */
  readonly ofIdentity?: { readonly id: string; readonly count: number }
}

/** The node of operations that run before there is one. */
const NO_NODE = 'start'
/** The ids in one record, and those with their states. */
const [MAX_IDS, MAX_IDS_WITH_STATES] = [500, 100]
/** The states of more entities that an operation changes at once take too long, in which no login ends. */
const MAX_STATES = 1_000

/** What is to be recorded of the events of an operation. */
export function recordOfEvents({ node = NO_NODE, now: at, events }: OperationMeta): NewRecord[] {
  return !events ? [] : [{ node, at, kind: 'events', content: events }]
}

/**
 * What is to be recorded of the changes of an operation, for the audit record and for sinks. Ended sessions are recorded only while there are sinks, or
 * where an operation ends those of others. A login, which changes no entity with a state, has no records.
 */
export async function recordsOfChanges(
  db: Db,
  changes: readonly OwnChange[],
  meta: OperationMeta,
  { name: operation, recordsSessions: isAudited }: Pick<AnyOperation, 'name' | 'recordsSessions'>,
): Promise<NewRecord[]> {
  if (changes.length === 0) return []
  const records: NewRecord[] = []
  const { node = NO_NODE, now: at, actorId, source } = meta
  const common: RecordedOperation = { operation, meta: { actorId, ...(source && { source }) } }
  const ended = changes.filter(({ session }) => session)
  const isAuditedAlone = isAudited && ended.length === 1
  const reported = ended.length > 0 && (isAuditedAlone || (await hasSinks(db))) ? ended : []
  for (const change of [...changes.filter(({ states }) => states), ...reported]) {
    const content: RecordedChange = { ...common, change, ...(isAuditedAlone && change.session && { isAudited }) }
    records.push({ node, at, kind: 'change', content: JSON.stringify(content) })
  }
  if (isAudited && ended.length > 1) {
    const content = { ...common, ...sessionsEnded(ended) }
    records.push({ node, at, kind: 'changes', content: JSON.stringify(content) })
  }
  const many = changes.filter(({ isOneOfMany, entity }) => isOneOfMany && isRecordedEntity(entity))
  for (const [first, ...others] of Map.groupBy(many, ({ entity, action }) => `${entity} ${action}`).values()) {
    const ids = [first, ...others].flatMap((change) => (change ? [change.id] : []))
    const size = ids.length > MAX_STATES ? MAX_IDS : MAX_IDS_WITH_STATES
    for (let from = 0; first && from < ids.length; from += size) {
      const { entity, action } = first
      const some = ids.slice(from, from + size)
      const states = ids.length > MAX_STATES ? undefined : await statesOf(db, entity, some)
      const content: RecordedChanges = { ...common, entity, action, ids: some, ...(states && { states }) }
      records.push({ node, at, kind: 'changes', content: JSON.stringify(content) })
    }
  }
  return records
}

/** One entry for all: a caller can open sessions without limit, and end a thousand by a call. */
function sessionsEnded(ended: readonly OwnChange[]): Omit<RecordedChanges, keyof RecordedOperation> {
  const ids = ended.slice(0, MAX_IDS_WITH_STATES).map(({ id }) => id)
  const ofIdentity = { id: ended[0]?.session?.identityId ?? '', count: ended.length }
  return { entity: 'apiSessions', action: 'deleted', ids, ofIdentity }
}

async function statesOf(db: Db, entity: ChangedEntity, ids: readonly string[]): Promise<RecordedChanges['states']> {
  const states = await loadRecordedStates(db, entity, ids)
  return Object.fromEntries(
    [...states].map(([id, { text, digests, organizationId }]) => [id, { text, digests, organizationId }]),
  )
}
