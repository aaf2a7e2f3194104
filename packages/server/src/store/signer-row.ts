import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { type SignerSettings, unsetSettings } from '@countersign/core'
import { bool, Computed, instant, int, text } from './columns/column.ts'
import { type CellsOf, type ColumnsFor, createReader, createWriter, listColumns } from './columns/column-map.ts'
import { SIGNER_COLUMNS } from './columns/signer-columns.ts'
import type { SignerRow } from './schema.ts'

/** A signer as it is stored: its settings, what its certificate says, and the marks that the store puts on it. */
export interface StoredSigner extends SignerSettings {
  readonly id: string
  readonly certificate: SignerCertificateFacts | null
  readonly writtenByAdmin: boolean
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Some of what is stored cannot be read: it is shown without that, and is off. */
  readonly isDamaged?: true
}

/** What a static certificate says about itself. */
export interface SignerCertificateFacts {
  readonly fingerprint: string
  readonly commonName: string
  readonly notBefore: number
  readonly notAfter: number
}

const STORED_SIGNER = {
  id: text(),
  ...SIGNER_COLUMNS,
  certificate: new Computed(certificateFacts),
  writtenByAdmin: bool(),
  revision: int(),
  createdAt: instant(),
  updatedAt: instant(),
} satisfies ColumnsFor<Omit<StoredSigner, 'isDamaged'>>

/** For writing: throws for a row of which something would be lost. */
export const readSignerRow = createReader<SignerRow, StoredSigner>(STORED_SIGNER)

const settingsColumns = createWriter<SignerSettings, CellsOf<typeof SIGNER_COLUMNS>>(SIGNER_COLUMNS)

const unsetColumns: Readonly<Record<string, unknown>> = settingsColumns(unsetSettings<SignerSettings>(SIGNER))

/** The columns that may be unreadable, as they are where nothing is set. */
const UNSET_JSON = Object.fromEntries(
  listColumns(SIGNER_COLUMNS).flatMap(([, name, { codec }]) => (codec?.write ? [[name, unsetColumns[name]]] : [])),
)

/** For reading: one row that cannot be read shall not hide the others. */
export function signerFromRow(row: SignerRow): StoredSigner {
  try {
    return readSignerRow(row)
  } catch {
    return { ...readSignerRow({ ...row, ...UNSET_JSON }), enabled: false, isDamaged: true }
  }
}

function certificateFacts(row: SignerRow): SignerCertificateFacts | null {
  if (row.fingerprint === null) return null
  return {
    fingerprint: row.fingerprint,
    commonName: row.common_name ?? '',
    notBefore: row.not_before ?? 0,
    notAfter: row.not_after ?? 0,
  }
}

/** The columns of a signer's settings and of its certificate; the marks (id, revision, times) are the writer's. */
export function signerColumns(signer: SignerSettings, certificate: SignerCertificateFacts | null) {
  return {
    ...settingsColumns(signer),
    static_kid: certificate && (signer.kid ?? certificate.fingerprint),
    fingerprint: certificate?.fingerprint ?? null,
    common_name: certificate?.commonName ?? null,
    not_before: certificate?.notBefore ?? null,
    not_after: certificate?.notAfter ?? null,
  }
}
