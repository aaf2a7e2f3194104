import type { Trust } from '@countersign/core'
import { bool, instant, textOrNull } from './column.ts'
import type { ColumnsFor } from './column-map.ts'

/** Where the trust in an entity that logs identities in is stored: in columns of its own table. */
export const TRUST_COLUMNS = {
  isTrusted: bool(),
  writtenById: textOrNull(),
  writtenByName: textOrNull(),
  writtenAt: instant(),
} satisfies ColumnsFor<Trust>
