import type { Trust } from '@countersign/core'
import { type CellsOf, createWriter } from './columns/column-map.ts'
import { TRUST_COLUMNS } from './columns/trust-columns.ts'

export const trustColumns = createWriter<Trust, CellsOf<typeof TRUST_COLUMNS>>(TRUST_COLUMNS)
