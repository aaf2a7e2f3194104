import { newId } from '@countersign/core'
import { auditColumns } from './audit-columns.ts'
import { authorize } from './authorize.ts'
import type { OwnChange } from './change.ts'
import type { AnyOperation } from './operation.ts'
import type { OperationMeta } from './operation-meta.ts'
import { recordOfEvents, recordsOfChanges } from './record-events.ts'
import { isRecordedEntity, loadRecordedState, type RecordedState } from './recorded-state.ts'
import { nextVersion } from './row-version.ts'
import type { Transaction } from './transaction.ts'
import type { NewEntry } from './writes/change-log-writes.ts'
import type { NewRecord } from './writes/record-writes.ts'

/** The open transaction in which the statements run. */
export type OpenTransaction = Pick<Transaction, 'db' | 'dialect' | 'idleSessions'>

/** What an operation has done in the open transaction. */
export interface OperationRun {
  readonly result: unknown
  readonly changes: readonly OwnChange[]
  /**
   * What the transaction must append to the change log before it is committed, when no operation can be refused any more: other nodes look for the numbers
   * of entries that were rolled back.
   */
  readonly entries: readonly NewEntry[]
  /** What the transaction must record before it is committed. */
  readonly records: readonly NewRecord[]
}

/** Authorises the actor and runs the operation inside the open transaction. */
export async function runOperation(
  on: OpenTransaction,
  operation: AnyOperation,
  args: unknown,
  meta: OperationMeta,
): Promise<OperationRun> {
  const { db } = on
  const { isRecorded = true } = operation
  const actor = await authorize(on, operation.access, meta)
  const target = isRecorded ? targetOf(operation, args) : undefined
  const found = target && (await loadRecordedState(db, target.entity, target.id))
  const initial = found && (target.entity === 'organizations' || isVisibleTo(meta, found)) ? found : undefined
  const now = initial ? nextVersion(initial.updatedAt, meta) : meta.now
  const noted: OwnChange[] = []
  const known = new Set<string>()
  // An operation of several statements reports a record once: it is one event.
  const changed = (change: OwnChange): void => {
    const key = `${change.entity} ${change.action} ${change.id}`
    if (!known.has(key)) noted.push(change.session ? { ...change, eventId: newId() } : change)
    known.add(key)
  }
  const result = await operation.run({ ...on, ...meta, now, actor, changed }, args)
  const changes: OwnChange[] = []
  const newEntries: NewEntry[] = []
  const entryOf = ({ entity, id, action }: OwnChange) => {
    return { at: meta.now, entity, entity_id: id, action, actor_id: meta.actorId }
  }
  const many = noted.filter(({ isOneOfMany }) => isOneOfMany)
  for (const change of many.length > 0 ? noted.filter(({ isOneOfMany }) => !isOneOfMany) : noted) {
    const { entity, id, action } = change
    const entry = entryOf(change)
    if (!isRecorded || !isRecordedEntity(entity)) {
      newEntries.push(entry)
      changes.push(change)
      continue
    }
    const before = target?.entity === entity && target.id === id ? initial : undefined
    const after = action === 'deleted' ? undefined : await loadRecordedState(db, entity, id)
    newEntries.push({ ...entry, ...recordColumns(before, after, meta) })
    const organizationId = (after ?? before)?.organizationId
    const states = { initial: before?.text ?? null, final: after?.text ?? null }
    const digests = { initial: before?.digests ?? {}, final: after?.digests ?? {} }
    changes.push({
      ...change,
      states,
      digests,
      eventId: newId(),
      ...(organizationId !== undefined && { organizationId }),
    })
  }
  changes.push(...many)
  newEntries.push(...many.map(entryOf))
  const ofChanges = await recordsOfChanges(db, changes, meta, operation)
  const ofEvents = operation.hasHappened?.(result) === false ? [] : recordOfEvents(meta)
  const records = [...ofEvents, ...ofChanges]
  return { result, changes, entries: newEntries, records }
}

function targetOf({ target: entity }: AnyOperation, args: unknown) {
  const { id } = (args ?? {}) as { id?: unknown }
  return entity !== undefined && typeof id === 'string' ? { entity, id } : undefined
}

/** A caller of the hosted API must not find out by `If-Match` that another organization has the record: the operation reports that it does not exist. */
function isVisibleTo({ organizationId: own }: OperationMeta, { organizationId }: RecordedState): boolean {
  return own === undefined || organizationId === undefined || own === organizationId
}

function recordColumns(before: RecordedState | undefined, after: RecordedState | undefined, { source }: OperationMeta) {
  return {
    before_hash: before?.hash ?? null,
    after_hash: after?.hash ?? null,
    source_address: source?.remoteAddr ?? null,
    ...auditColumns(before, after),
  }
}
