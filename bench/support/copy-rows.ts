import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

type SqlRow = Readonly<Record<string, SQLInputValue>>

const ROWS_PER_TRANSACTION = 100_000

/** Row numbers from `from` (inclusive) to `to` (exclusive). */
export interface Range {
  readonly from: number
  readonly to: number
}

/**
 * Opens the embedded database for bulk inserts. The product must not be running. Writes are not synced: after a crash the
 * database is discarded.
 */
export function withDatabase(file: string, work: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    db.exec('pragma synchronous = off; pragma cache_size = -262144; pragma temp_store = memory;')
    work(db)
    db.exec('pragma wal_checkpoint(truncate)')
  } finally {
    db.close()
  }
}

/**
 * Inserts copies of a row that the product has written, so that every column has a realistic value. `change` returns the
 * columns that differ for a row number.
 */
export function copyRows(
  db: DatabaseSync,
  table: string,
  where: { readonly column: string; readonly equals: string },
  { from, to }: Range,
  change: (number: number) => SqlRow,
): void {
  const template = db.prepare(`select * from ${table} where ${where.column} = ?`).get(where.equals) as
    | SqlRow
    | undefined
  if (!template) throw new Error(`${table} has no row whose ${where.column} is ${where.equals}`)
  const columns = Object.keys(template)
  const insert = db.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  for (let start = from; start < to; start += ROWS_PER_TRANSACTION) {
    db.exec('begin immediate')
    for (let number = start; number < Math.min(to, start + ROWS_PER_TRANSACTION); number++) {
      const row = { ...template, ...change(number) }
      insert.run(...columns.map((column) => row[column] ?? null))
    }
    db.exec('commit')
  }
}
