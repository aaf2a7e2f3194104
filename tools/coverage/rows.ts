import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.ts'

/** A clause to hold. A note that begins with `open` keeps the row open although tests name it. */
export type CoverageRow = { id: string; what: string; note?: string }

export const rowsFile = 'docs/coverage-rows.json'

/** Reads the committed rows; throws on an id that appears twice and on an empty list. */
export function loadRows(): CoverageRow[] {
  const { rows }: { rows: CoverageRow[] } = JSON.parse(readFileSync(join(root, rowsFile), 'utf8'))
  const ids = new Set(rows.map(({ id }) => id))
  if (ids.size !== rows.length || rows.length === 0) throw new Error(`${rowsFile}: no rows, or an id appears twice`)
  return rows
}
