import type { IdentitySettings } from '@countersign/core'
import { bool, instant, instantOrNull, json, text, textOrNull } from './columns/column.ts'
import { type CellsOf, type ColumnsFor, createReader, createWriter } from './columns/column-map.ts'
import { IDENTITY_COLUMNS } from './columns/identity-columns.ts'
import type { IdentityRow } from './schema.ts'

export interface StoredIdentity extends IdentitySettings {
  readonly id: string
  readonly typeId: string
  readonly isDefaultAdmin: boolean
  readonly disabledAt: number | null
  readonly disabledUntil: number | null
  /** The verified TOTP enrollment; an identity with one must enter a code. */
  readonly verifiedTotpId: string | null
  readonly envInfo: Readonly<Record<string, string>>
  readonly sdkInfo: Readonly<Record<string, string>>
  readonly createdAt: number
  readonly updatedAt: number
}

const STORED_IDENTITY = {
  id: text(),
  ...IDENTITY_COLUMNS,
  typeId: text(),
  isDefaultAdmin: bool(),
  disabledAt: instantOrNull(),
  disabledUntil: instantOrNull(),
  verifiedTotpId: textOrNull(),
  envInfo: json<StoredIdentity['envInfo']>(),
  sdkInfo: json<StoredIdentity['sdkInfo']>(),
  createdAt: instant(),
  updatedAt: instant(),
} satisfies ColumnsFor<StoredIdentity>

const readRow = createReader<IdentityRow, StoredIdentity, { readonly attributes: readonly string[] }>(STORED_IDENTITY)

export function identityFromRow(row: IdentityRow, attributes: readonly string[]): StoredIdentity {
  return readRow(row, { attributes })
}

/** The columns of an identity; its attributes are in another table. */
export const identityColumns = createWriter<IdentitySettings, CellsOf<typeof IDENTITY_COLUMNS> & { hosting: string }>(
  IDENTITY_COLUMNS,
)

/** Whether an identity is disabled at `now`: without an end, or until `disabledUntil`. */
export function isDisabled(identity: Pick<StoredIdentity, 'disabledAt' | 'disabledUntil'>, now: number): boolean {
  return identity.disabledAt !== null && (identity.disabledUntil === null || now < identity.disabledUntil)
}
