import { type AuditContent, type AuditLink, NO_ENTRY_HASH, newSortableId, nextAuditLink } from '@countersign/core'
import type { AuditEntryRow, PendingRecordRow } from '../../store/event-schema.ts'
import { findLastState, listAuditStreams } from '../../store/reads/audit-reads.ts'
import { findLocalOrganization } from '../../store/reads/organization-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertAuditEntries, setStreamEnd } from '../../store/writes/audit-writes.ts'
import { contentsOf, type PendingContent } from './audit-contents.ts'

type Place = Pick<AuditLink, 'node' | 'sequence' | 'hash'>

/** Appends the entries of records to the chains of their nodes. The outbox must be locked. */
export async function chainEntries(tx: Transaction, records: readonly PendingRecordRow[]): Promise<void> {
  const pending = records.flatMap((record) => contentsOf(record).map((content) => ({ record, ...content })))
  if (pending.length === 0) return
  const localOrganization = await findLocalOrganization(tx.db)
  const ends = new Map<string, Place>((await listAuditStreams(tx.db)).map((stream) => [stream.node, stream]))
  const states = new LastStates(tx)
  const rows: AuditEntryRow[] = []
  for (const each of pending) {
    const { node, at } = each.record
    const content = await states.complete(each)
    const { organizationId } = each
    const isOwn = organizationId === null || organizationId === localOrganization
    const before = ends.get(node) ?? { node, sequence: 0, hash: NO_ENTRY_HASH }
    const scope = isOwn ? 'controller' : 'organization'
    const link = nextAuditLink(before, { id: newSortableId(at), at: each.at, scope, content })
    ends.set(node, link)
    rows.push(rowOf(content, link, { at: Date.parse(each.at), organizationId }))
  }
  await insertAuditEntries(tx, rows)
  for (const node of new Set(rows.map((row) => row.node))) {
    const end = ends.get(node)
    if (end) await setStreamEnd(tx, end)
  }
}

function rowOf(
  content: AuditContent,
  { id, node, sequence, scope, contentHash, previousHash, hash }: AuditLink,
  { at, organizationId }: { readonly at: number; readonly organizationId: string | null },
): AuditEntryRow {
  // A filter must not find out what another organization did.
  const shown = scope === 'controller' ? content : undefined
  return {
    id,
    node,
    sequence,
    at,
    actor_id: shown?.actorId ?? null,
    actor_name: shown?.actorName ?? null,
    action: shown?.action ?? '',
    object_kind: shown?.objectKind ?? null,
    object_id: shown?.objectId ?? null,
    object_name: shown?.objectName ?? null,
    request_id: shown?.requestId ?? null,
    address: shown?.address ?? null,
    scope,
    organization_id: organizationId,
    content: JSON.stringify(content),
    content_hash: contentHash,
    previous_hash: previousHash,
    hash,
  }
}

/** Completes entries of operations that did not load the state before: it is that after the last entry of the same object. */
class LastStates {
  readonly #tx: Transaction
  readonly #after = new Map<string, unknown>()

  constructor(tx: Transaction) {
    this.#tx = tx
  }

  async complete({ content, needsBefore }: PendingContent): Promise<AuditContent> {
    const { objectKind, objectId, change } = content
    if (change === null || objectKind === null || objectId === null) return content
    const key = `${objectKind} ${objectId}`
    const before = needsBefore ? await this.#find(key, objectKind, objectId) : content.before
    this.#after.set(key, content.after)
    const { name } = (content.after ?? before ?? {}) as { readonly name?: unknown }
    const objectName = content.objectName ?? (typeof name === 'string' ? name : null)
    return { ...content, before: before ?? null, objectName }
  }

  #find(key: string, kind: string, id: string): unknown {
    return this.#after.has(key) ? this.#after.get(key) : findLastState(this.#tx.db, kind, id)
  }
}
