import type { Kysely } from 'kysely'
import type { Change } from './change.ts'
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
  if (changes.length > 0) {
    const entries = changes.map(({ entity, id, action }) => {
      return { at: meta.now, entity, entity_id: id, action, actor_id: meta.actorId }
    })
    await db.insertInto('change_log').values(entries).execute()
  }
  return { result, changes }
}
