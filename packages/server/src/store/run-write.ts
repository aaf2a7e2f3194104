import { WRITES, type WriteName } from '../operations/operations.ts'
import { type AuditedState, isAudited, loadAuditedState, targetOf } from './audited-state.ts'
import type { OwnChange } from './change.ts'
import { insertRow } from './prepared.ts'
import { nextVersion } from './row-version.ts'
import type { WriteContext, WriteMeta, WriteOperation } from './write-operation.ts'

export interface WriteRequest {
  readonly name: WriteName
  readonly args: unknown
  readonly meta: WriteMeta
}

/** Runs one write inside the transaction that the caller has open, with its change-log entries. */
export async function runWrite(
  on: Pick<WriteContext, 'db' | 'dialect' | 'sessionCounts' | 'sessionFiling'>,
  { name, args, meta }: WriteRequest,
): Promise<{ result: unknown; changes: OwnChange[] }> {
  const { db } = on
  const noted: OwnChange[] = []
  const operation = WRITES[name] as WriteOperation<unknown, unknown>
  const target = targetOf(name, args)
  const initial = target && (await loadAuditedState(db, target.entity, target.id))
  const now = initial ? nextVersion(initial.updatedAt, meta) : meta.now
  const result = await operation({ ...on, ...meta, now, changed: (change) => noted.push(change) }, args)
  const changes: OwnChange[] = []
  for (const change of noted) {
    const { entity, id, action } = change
    const entry = { at: meta.now, entity, entity_id: id, action, actor_id: meta.actorId }
    if (!isAudited(entity, name)) {
      await insertRow(db, 'change_log', entry)
      changes.push(change)
      continue
    }
    const before = target?.entity === entity && target.id === id ? initial : undefined
    const after = action === 'deleted' ? undefined : await loadAuditedState(db, entity, id)
    await insertRow(db, 'change_log', { ...entry, ...auditColumns(before, after, meta) })
    changes.push({ ...change, states: { initial: before?.text ?? null, final: after?.text ?? null } })
  }
  return { result, changes }
}

function auditColumns(before: AuditedState | undefined, after: AuditedState | undefined, { source }: WriteMeta) {
  return {
    before_hash: before?.hash ?? null,
    after_hash: after?.hash ?? null,
    source_address: source?.remoteAddr ?? null,
  }
}
