import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { type NearMiss, type SignerSettings, type Trust, unsetSettings } from '@countersign/core'
import { Computed, instant, int, json, text, textOrNull } from './columns/column.ts'
import { type CellsOf, type ColumnsFor, createReader, createWriter, listColumns } from './columns/column-map.ts'
import { SIGNER_COLUMNS } from './columns/signer-columns.ts'
import { TRUST_COLUMNS } from './columns/trust-columns.ts'
import { readJsonColumn } from './json-column.ts'
import type { SignerRow } from './schema.ts'

/** A stored signer: its settings, the fields of its certificate, and the store's own columns. */
export interface StoredSigner extends SignerSettings {
  readonly id: string
  /** Of `certPem`. */
  readonly certificate: SignerCertificateFacts | null
  /** Of `certPems`. */
  readonly certificates: readonly SignerCertificateOfSeveral[]
  /** Sealed. */
  readonly jwksAuthorization: string | null
  /** The thumbprints of keys that were taken from it since `sessionRevision`: sessions that rest on them have ended. */
  readonly removedKeys: readonly string[]
  readonly trust: Trust
  /** The ignored members of the last body that its sender probably meant otherwise. */
  readonly nearMisses: readonly NearMiss[]
  readonly revision: number
  /** Grows with each change that ends the sessions of its tokens. */
  readonly sessionRevision: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Part of the row cannot be read: the signer is shown without that part, and disabled. */
  readonly isDamaged?: true
}

/** Fields of a static certificate. */
export interface SignerCertificateFacts {
  readonly fingerprint: string
  readonly commonName: string
  readonly notBefore: number
  readonly notAfter: number
}

/** Fields of one of several static certificates. */
export interface SignerCertificateOfSeveral extends SignerCertificateFacts {
  /** Of its key: RFC 7638 with SHA-256. */
  readonly thumbprint: string
}

/** What a signer stores besides its settings: the facts of its certificates, and a secret. */
export interface SignerKeyFacts {
  readonly certificate: SignerCertificateFacts | null
  readonly certificates: readonly SignerCertificateOfSeveral[]
  readonly jwksAuthorization: string | null
}

const STORED_SIGNER = {
  id: text(),
  ...SIGNER_COLUMNS,
  certificate: new Computed(certificateFacts),
  certificates: new Computed(certificatesFacts),
  jwksAuthorization: textOrNull(),
  removedKeys: json<StoredSigner['removedKeys']>(),
  trust: TRUST_COLUMNS,
  nearMisses: json<StoredSigner['nearMisses']>(),
  revision: int(),
  sessionRevision: int(),
  createdAt: instant(),
  updatedAt: instant(),
} satisfies ColumnsFor<Omit<StoredSigner, 'isDamaged'>>

/** For writing: throws when part of the row cannot be read, because the write would lose it. */
export const readSignerRow = createReader<SignerRow, StoredSigner>(STORED_SIGNER)

const settingsColumns = createWriter<SignerSettings, CellsOf<typeof SIGNER_COLUMNS>>(SIGNER_COLUMNS)

const unsetColumns: Readonly<Record<string, unknown>> = settingsColumns(unsetSettings<SignerSettings>(SIGNER))

/** The JSON columns, which may be unreadable, with their unset values. */
const UNSET_JSON = {
  ...Object.fromEntries(
    listColumns(SIGNER_COLUMNS).flatMap(([, name, { codec }]) => (codec?.write ? [[name, unsetColumns[name]]] : [])),
  ),
  near_misses: '[]',
  certificates: null,
  removed_keys: '[]',
}

/** For reading: a row that cannot be read must not hide the others. */
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

function certificatesFacts({ certificates }: SignerRow): readonly SignerCertificateOfSeveral[] {
  return certificates === null ? [] : readJsonColumn(certificates)
}

/** The columns of a signer's settings and key facts, without id, revision and times. */
export function signerColumns(
  signer: SignerSettings,
  { certificate, certificates, jwksAuthorization }: SignerKeyFacts,
) {
  return {
    ...settingsColumns(signer),
    certificates: certificates.length > 0 ? JSON.stringify(certificates) : null,
    jwks_authorization: jwksAuthorization,
    signals_jwks_uri: signer.sharedSignals?.jwksUri ?? null,
    static_kid: certificate && (signer.kid ?? certificate.fingerprint),
    fingerprint: certificate?.fingerprint ?? null,
    common_name: certificate?.commonName ?? null,
    not_before: certificate?.notBefore ?? null,
    not_after: certificate?.notAfter ?? null,
  }
}
