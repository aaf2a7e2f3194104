import type { CaSettings } from '@countersign/core'
import { bool, json, jsonOrNull, text } from './column.ts'
import type { ColumnsFor } from './column-map.ts'

/** Where the settings of a third-party CA are stored. */
export const CA_COLUMNS = {
  name: text(),
  isAuthEnabled: bool(),
  isAutoCaEnrollmentEnabled: bool(),
  isOttCaEnrollmentEnabled: bool(),
  identityRoles: json<CaSettings['identityRoles']>(),
  identityNameFormat: text(),
  externalIdClaim: jsonOrNull<NonNullable<CaSettings['externalIdClaim']>>(),
  tags: json<CaSettings['tags']>(),
} satisfies ColumnsFor<CaSettings>
