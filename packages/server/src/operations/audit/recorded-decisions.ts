import type { AuthDecisionRow } from '../../store/schema.ts'
import type { Transaction } from '../../store/transaction.ts'
import { insertPendingRecord } from '../../store/writes/record-writes.ts'

/** A record of the kind `decisions`: decisions that were stored, and how many refusals were not since the last record. */
export interface RecordedDecisions {
  readonly at: number
  readonly dropped: number
  readonly decisions: readonly {
    readonly id: string
    readonly at: number
    readonly method: string
    readonly reason: string
    readonly signerId: string | null
    readonly signerName: string | null
    readonly claimedIdentity: string | null
    readonly identityId: string | null
    readonly identityName: string | null
    readonly remoteAddress: string
    readonly organizationId: string | null
  }[]
}

/** Records decisions for the audit record, without their explanations. */
export async function recordDecided(
  { db, now, node = 'start' }: Transaction,
  rows: readonly AuthDecisionRow[],
  dropped: number,
): Promise<void> {
  if (rows.length === 0 && dropped === 0) return
  const decisions = rows.map((row) => ({
    id: row.id,
    at: row.at,
    method: row.method,
    reason: row.reason,
    signerId: row.signer_id,
    signerName: row.signer_name,
    claimedIdentity: row.claimed_identity,
    identityId: row.identity_id,
    identityName: row.identity_name,
    remoteAddress: row.remote_address,
    organizationId: row.organization_id,
  }))
  const content: RecordedDecisions = { at: now, dropped, decisions }
  await insertPendingRecord(db, { node, at: now, kind: 'decisions', content: JSON.stringify(content) })
}
