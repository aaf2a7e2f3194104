import { DatabaseSync, type SQLInputValue } from 'node:sqlite'

type SqlRow = Readonly<Record<string, SQLInputValue>>

const ROWS_AT_ONCE = 100_000

/** Rows from the number `from` up to before `to`. */
export interface Range {
  readonly from: number
  readonly to: number
}

/**
 * Opens the embedded database of a product that is not running, for putting in many rows at once. What is half done after a
 * crash is thrown away with the bench, so nothing waits for the disk.
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
 * Puts in rows like one that the product has written itself, each with what `change` says of its number. Whatever columns
 * the table has, they hold what the product puts there.
 */
export function copyRows(
  db: DatabaseSync,
  table: string,
  where: { readonly column: string; readonly is: string },
  { from, to }: Range,
  change: (number: number) => SqlRow,
): void {
  const template = db.prepare(`select * from ${table} where ${where.column} = ?`).get(where.is) as SqlRow | undefined
  if (!template) throw new Error(`no row of ${table} whose ${where.column} is ${where.is}`)
  const columns = Object.keys(template)
  const insert = db.prepare(
    `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  for (let start = from; start < to; start += ROWS_AT_ONCE) {
    db.exec('begin immediate')
    for (let number = start; number < Math.min(to, start + ROWS_AT_ONCE); number++) {
      const row = { ...template, ...change(number) }
      insert.run(...columns.map((column) => row[column] ?? null))
    }
    db.exec('commit')
  }
}
