import type { BenchDatabase, SqlRow } from './bench-database.ts'

/** Row numbers from `from` (inclusive) to `to` (exclusive). */
export interface Range {
  readonly from: number
  readonly to: number
}

export function* numbersOf({ from, to }: Range): Iterable<number> {
  for (let number = from; number < to; number++) yield number
}

/**
 * Inserts copies of a row that the product has written, so that every column has a realistic value. `change` returns the
 * columns that differ for a row number.
 */
export async function copyRows(
  database: BenchDatabase,
  table: string,
  where: { readonly column: string; readonly equals: string },
  range: Range,
  change: (number: number) => SqlRow,
): Promise<void> {
  const template = await database.readRow(table, where)
  if (!template) throw new Error(`${table} has no row whose ${where.column} is ${where.equals}`)
  function* rows() {
    const { seq: _, ...columns } = template ?? {}
    for (const number of numbersOf(range)) yield { ...columns, ...change(number) }
  }
  await database.insert(table, rows())
}
