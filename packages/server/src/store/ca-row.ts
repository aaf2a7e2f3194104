import type { CaCertificateFacts, CaSettings, Trust } from '@countersign/core'
import { CA_COLUMNS } from './columns/ca-columns.ts'
import { bool, instant, int, text } from './columns/column.ts'
import { type CellsOf, type ColumnsFor, createReader, createWriter } from './columns/column-map.ts'
import { TRUST_COLUMNS } from './columns/trust-columns.ts'
import type { CaRow } from './schema.ts'

/** A stored third-party CA: its settings, its certificate, and the store's own columns. */
export interface StoredCa extends CaSettings, CaCertificateFacts {
  readonly id: string
  readonly certPem: string
  readonly isVerified: boolean
  readonly verificationToken: string
  /** Grows with each change that ends the sessions of its certificates: their sessions have the revision of the login. */
  readonly revision: number
  readonly trust: Trust
  readonly createdAt: number
  readonly updatedAt: number
}

const STORED_CA = {
  id: text(),
  ...CA_COLUMNS,
  certPem: text(),
  fingerprint: text(),
  subjectDigest: text(),
  isVerified: bool(),
  verificationToken: text(),
  revision: int(),
  trust: TRUST_COLUMNS,
  createdAt: instant(),
  updatedAt: instant(),
} satisfies ColumnsFor<StoredCa>

export const caFromRow = createReader<CaRow, StoredCa>(STORED_CA)

export const caColumns = createWriter<CaSettings, CellsOf<typeof CA_COLUMNS>>(CA_COLUMNS)
