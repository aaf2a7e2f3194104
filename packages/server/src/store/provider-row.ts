import type { ProviderSettings } from '@countersign/core'
import { instant, int, text, textOrNull } from './columns/column.ts'
import { type CellsOf, type ColumnsFor, createReader, createWriter } from './columns/column-map.ts'
import { PROVIDER_COLUMNS } from './columns/hosted-columns.ts'
import type { IdentityProviderRow } from './hosted-schema.ts'

export interface StoredProvider extends ProviderSettings {
  readonly id: string
  readonly organizationId: string
  /** Sealed. */
  readonly administrationSecret: string | null
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
}

const STORED_PROVIDER = {
  id: text(),
  organizationId: text(),
  ...PROVIDER_COLUMNS,
  administrationSecret: textOrNull(),
  revision: int(),
  createdAt: instant(),
  updatedAt: instant(),
} satisfies ColumnsFor<StoredProvider>

export const providerFromRow = createReader<IdentityProviderRow, StoredProvider>(STORED_PROVIDER)

export const providerColumns = createWriter<ProviderSettings, CellsOf<typeof PROVIDER_COLUMNS>>(PROVIDER_COLUMNS)
