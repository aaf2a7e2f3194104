import type { Selectable } from 'kysely'
import type { Bool } from './columns/column.ts'

/** A certificate of our CA, until it has expired. Without foreign keys: it outlives its identity and its authenticator. */
interface IssuedCertificateTable {
  /** Hex. */
  serial: string
  /** The key identifier of its issuer, in hex. */
  issuer_key_id: string
  /** SHA-1 in lower-case hex. */
  fingerprint: string
  identity_id: string
  /** The authenticator that it belongs to, or that its session rests on; null for a session without one. */
  authenticator_id: string | null
  /** Whether it is for the connections of a session. */
  is_of_session: Bool
  not_after: number
  /** When it was put on the list of revoked certificates; null when it is not on it. */
  revoked_at: number | null
  /** A `RevocationReason`. */
  revocation_reason: string | null
}

/** The list of revoked certificates of one issuer. */
interface RevocationListTable {
  issuer_key_id: string
  /** Grows with each change of what must be on the list. */
  revision: number
  /** The revision in `der`; -1 before the first list. */
  published_revision: number
  /** The number of the list in `der`. */
  number: number
  this_update: number
  next_update: number
  /** Base64. */
  der: string
}

export interface RevocationTables {
  issued_certificates: IssuedCertificateTable
  revocation_lists: RevocationListTable
}

export type RevocationListRow = Selectable<RevocationListTable>
