import type { AuditHead } from '@countersign/core'
import type { AuditEntryRow } from '../event-schema.ts'
import type { Transaction } from '../transaction.ts'

type Tx = Pick<Transaction, 'db'>

/** A few columns more than PostgreSQL's limit of parameters allows would fail. */
const ROWS_PER_INSERT = 100

/** Appends entries. The outbox must be locked: one transaction extends the chains at a time. */
export async function insertAuditEntries({ db }: Tx, entries: readonly AuditEntryRow[]): Promise<void> {
  for (let from = 0; from < entries.length; from += ROWS_PER_INSERT) {
    await db
      .insertInto('audit_entries')
      .values(entries.slice(from, from + ROWS_PER_INSERT))
      .execute()
  }
}

/** Notes the newest entry of a node. */
export async function setStreamEnd(
  { db }: Tx,
  { node, sequence, hash }: Pick<AuditHead, 'node' | 'sequence' | 'hash'>,
): Promise<void> {
  await db
    .insertInto('audit_streams')
    .values({ node, sequence, hash })
    .onConflict((conflict) => conflict.column('node').doUpdateSet({ sequence, hash }))
    .execute()
}

/** Notes signed heads. An older head than the stored one is ignored. */
export async function setSignedHeads(
  { db, now }: Pick<Transaction, 'db' | 'now'>,
  heads: readonly AuditHead[],
): Promise<void> {
  for (const { node, sequence, hash, signature } of heads) {
    await db
      .updateTable('audit_streams')
      .set({ signed_sequence: sequence, signed_hash: hash, signature, signed_at: now })
      .where('node', '=', node)
      .where('signed_sequence', '<=', sequence)
      .execute()
  }
}

/** Deletes up to `limit` entries of a node that an anchor stands for, oldest first. Returns how many it deleted. */
export async function deleteAnchoredEntries({ db }: Tx, anchor: AuditHead, limit: number): Promise<number> {
  const { node, sequence, hash, signature } = anchor
  await db
    .updateTable('audit_streams')
    .set({ anchor_sequence: sequence, anchor_hash: hash, anchor_signature: signature })
    .where('node', '=', node)
    .where('anchor_sequence', '<', sequence)
    .execute()
  const old = db
    .selectFrom('audit_entries')
    .select('id')
    .where('node', '=', node)
    .where('sequence', '<=', sequence)
    .orderBy('sequence')
    .limit(limit)
  return (await db.deleteFrom('audit_entries').where('id', 'in', old).returning('id').execute()).length
}
