import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { startPostgres } from '@countersign/testkit'
import pg from 'pg'

export type SqlRow = Readonly<Record<string, SQLInputValue>>

export const DATABASES = ['embedded', 'PostgreSQL'] as const
export type DatabaseName = (typeof DATABASES)[number]

/** The database of an installation. It is filled while the product is not running. */
export interface BenchDatabase {
  readonly name: DatabaseName
  readonly dataDir: string
  /** Settings of the product. */
  readonly settings: Readonly<Record<string, string>>
  readRow(table: string, where: { readonly column: string; readonly equals: string }): Promise<SqlRow | undefined>
  /** Inserts rows with the same columns. */
  insert(table: string, rows: Iterable<SqlRow>): Promise<void>
  /** Updates the planner's statistics, as a database that runs for long has them. */
  analyze(): Promise<void>
  remove(): Promise<void>
}

export async function createBenchDatabase(name: DatabaseName): Promise<BenchDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-bench-'))
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  process.once('exit', remove)
  const parts = name === 'embedded' ? embedded(join(dataDir, 'countersign.db')) : await postgres()
  return {
    name,
    dataDir,
    ...parts,
    remove: async () => {
      await parts.remove?.()
      process.off('exit', remove)
      remove()
    },
  }
}

type DatabaseParts = Omit<BenchDatabase, 'name' | 'dataDir' | 'remove'> & { remove?(): Promise<void> }

/** Writes are not synced: after a crash the database is discarded. */
function embedded(file: string): DatabaseParts {
  const withDatabase = async <Result>(work: (db: DatabaseSync) => Result): Promise<Result> => {
    const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
    try {
      db.exec('pragma synchronous = off; pragma cache_size = -262144; pragma temp_store = memory;')
      const result = work(db)
      db.exec('pragma wal_checkpoint(truncate)')
      return result
    } finally {
      db.close()
    }
  }
  return {
    settings: {},
    readRow: (table, { column, equals }) =>
      withDatabase((db) => db.prepare(`select * from ${table} where ${column} = ?`).get(equals) as SqlRow | undefined),
    insert: (table, rows) =>
      withDatabase((db) => {
        for (const chunk of inChunks(rows)) {
          const columns = Object.keys(chunk[0] ?? {})
          const insert = db.prepare(
            `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
          )
          db.exec('begin immediate')
          for (const row of chunk) insert.run(...columns.map((column) => row[column] ?? null))
          db.exec('commit')
        }
      }),
    analyze: () => withDatabase((db) => db.exec('analyze')),
  }
}

/** A temporary server of its own, with fsync. */
async function postgres(): Promise<DatabaseParts> {
  const server = await startPostgres({ durable: true })
  const url = await server.createDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return {
    settings: { COUNTERSIGN_DATABASE: url },
    readRow: async (table, { column, equals }) =>
      (await client.query(`select * from ${table} where ${column} = $1`, [equals])).rows[0],
    insert: async (table, rows) => {
      for (const chunk of inChunks(rows)) {
        // Columns that the rows lack get their defaults.
        const columns = Object.keys(chunk[0] ?? {}).join(', ')
        await client.query(
          `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
          [JSON.stringify(chunk)],
        )
      }
    },
    analyze: async () => void (await client.query('vacuum analyze')),
    remove: async () => {
      await client.end()
      await server.stop()
    },
  }
}

const ROWS_PER_CHUNK = 10_000

function* inChunks(rows: Iterable<SqlRow>): Iterable<SqlRow[]> {
  let chunk: SqlRow[] = []
  for (const row of rows) {
    chunk.push(row)
    if (chunk.length < ROWS_PER_CHUNK) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}
