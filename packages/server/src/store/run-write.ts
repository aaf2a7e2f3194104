import type { Kysely } from 'kysely'
import type { Change } from './change.ts'
import { insertRow } from './prepared.ts'
import type { Database } from './schema.ts'
import type { StoreDialect, WriteMeta, WriteOperation } from './write-operation.ts'
import { WRITES, type WriteName } from './writes/writes.ts'

export interface WriteRequest {
  readonly name: WriteName
  readonly args: unknown
  readonly meta: WriteMeta
}

/** Runs one write inside the transaction that the caller has open, with its change-log entries. */
export async function runWrite(
  db: Kysely<Database>,
  dialect: StoreDialect,
  { name, args, meta }: WriteRequest,
): Promise<{ result: unknown; changes: Change[] }> {
  const changes: Change[] = []
  const operation = WRITES[name] as WriteOperation<unknown, unknown>
  const result = await operation({ db, dialect, ...meta, changed: (change) => changes.push(change) }, args)
  for (const { entity, id, action } of changes) {
    await insertRow(db, 'change_log', { at: meta.now, entity, entity_id: id, action, actor_id: meta.actorId })
  }
  return { result, changes }
}
