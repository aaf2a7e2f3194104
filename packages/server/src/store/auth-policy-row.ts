import type { AuthPolicySettings } from '@countersign/core'
import { AUTH_POLICY_COLUMNS } from './columns/auth-policy-columns.ts'
import { instant, text } from './columns/column.ts'
import { type CellsOf, type ColumnsFor, createReader, createWriter } from './columns/column-map.ts'
import type { AuthPolicyRow } from './schema.ts'

export interface StoredAuthPolicy extends AuthPolicySettings {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

const STORED_AUTH_POLICY = {
  id: text(),
  ...AUTH_POLICY_COLUMNS,
  createdAt: instant(),
  updatedAt: instant(),
} satisfies ColumnsFor<StoredAuthPolicy>

const readRow = createReader<AuthPolicyRow, StoredAuthPolicy, { readonly allowedSigners: readonly string[] }>(
  STORED_AUTH_POLICY,
)

export function authPolicyFromRow(row: AuthPolicyRow, allowedSigners: readonly string[]): StoredAuthPolicy {
  return readRow(row, { allowedSigners })
}

/** The columns of a policy; its allowed signers are in another table. */
export const authPolicyColumns = createWriter<AuthPolicySettings, CellsOf<typeof AUTH_POLICY_COLUMNS>>(
  AUTH_POLICY_COLUMNS,
)
