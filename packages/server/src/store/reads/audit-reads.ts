import { type AuditContent, type AuditHead, DECISION_ACTIONS } from '@countersign/core'
import type { Kysely } from 'kysely'
import type { AuditStreamRow } from '../event-schema.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'

type Db = Kysely<Database>

export function listAuditStreams(db: Db): Promise<AuditStreamRow[]> {
  return db.selectFrom('audit_streams').selectAll().orderBy('node').execute()
}

const lastEntryOf = prepared(2, (db, kind: string, id: string) =>
  db
    .selectFrom('audit_entries')
    .select('content')
    .where('object_kind', '=', kind)
    .where('object_id', '=', id)
    .where('action', 'not in', DECISION_ACTIONS)
    .orderBy('at', 'desc')
    .orderBy('sequence', 'desc')
    .limit(1),
)

/** The state of an object after its last recorded change; undefined when it is not known. A refused login of an identity is none. */
export async function findLastState(db: Db, kind: string, id: string): Promise<unknown> {
  const [row] = await lastEntryOf(db, kind, id)
  return row && (JSON.parse(row.content) as AuditContent).after
}

/** Of each node, the newest of the entries that are older than `before`, which retention deletes. */
export async function findOldEnds(db: Db, before: number): Promise<Omit<AuditHead, 'signature'>[]> {
  const ends: Omit<AuditHead, 'signature'>[] = []
  for (const { node } of await listAuditStreams(db)) {
    // Entries stand in the order in which they were recorded, which a clock that goes back does not change.
    const firstKept = await db
      .selectFrom('audit_entries')
      .select('sequence')
      .where('node', '=', node)
      .where('at', '>=', before)
      .orderBy('sequence')
      .limit(1)
      .executeTakeFirst()
    const old = db.selectFrom('audit_entries').select(['sequence', 'hash']).where('node', '=', node)
    const ended = firstKept ? old.where('sequence', '<', firstKept.sequence) : old
    const last = await ended.orderBy('sequence', 'desc').limit(1).executeTakeFirst()
    if (last) ends.push({ node, sequence: Number(last.sequence), hash: last.hash })
  }
  return ends
}
