import { readJsonColumn } from '../../store/json-column.ts'
import type { PasskeyRow } from '../../store/schema.ts'
import { selfLink, timestamp } from '../pipeline/envelope.ts'

/** A passkey without its key. */
export function passkeyView(row: PasskeyRow, collection: string) {
  return {
    _links: selfLink(collection, row.id),
    id: row.id,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    tags: {},
    name: row.name,
    rpId: row.rp_id,
    aaguid: row.aaguid,
    transports: readJsonColumn<readonly string[]>(row.transports),
    isBackupEligible: Boolean(row.is_backup_eligible),
    isBackedUp: Boolean(row.is_backed_up),
    lastUsedAt: row.last_used_at === null ? null : timestamp(row.last_used_at),
  }
}
