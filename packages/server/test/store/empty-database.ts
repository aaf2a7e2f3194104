import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { newId } from '@countersign/core'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { migrate } from '../../src/store/migrations/migrate.ts'
import { type Migration, POSTGRES_TYPES, SQLITE_TYPES } from '../../src/store/migrations/migration.ts'
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Database } from '../../src/store/schema.ts'
import { openForWriting } from '../../src/store/sqlite/open-database.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type DatabaseName, getPostgres } from './open-test-stores.ts'
import { startThreadWriter } from './test-writer.ts'

/** A database that no release has opened yet. */
export interface EmptyDatabase {
  /** The literals for true and false. */
  readonly words: { readonly yes: string; readonly no: string }
  /** Runs the statements and returns the rows of the last. */
  run(...statements: string[]): Promise<Record<string, unknown>[]>
  /** Applies the steps in one transaction, as a start does. */
  migrate(now: number, migrations?: readonly Migration[]): Promise<void>
  /** Opens it as a start does; the caller closes the store. */
  open(now: number): Promise<Store>
}

export async function makeEmptyDatabase(t: TestContext, database: DatabaseName): Promise<EmptyDatabase> {
  return database === 'sqlite' ? onSqlite(makeSqliteFile(t)) : onPostgres(await (await getPostgres()).createDatabase())
}

/** The name of a file in a folder that is removed after the test. */
export function makeSqliteFile(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-empty-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'countersign.db')
}

export function onSqlite(file: string): EmptyDatabase {
  return {
    words: { yes: '1', no: '0' },
    run: async (...statements) => {
      const raw = new DatabaseSync(file)
      try {
        return statements.map((statement) => raw.prepare(statement).all()).at(-1) ?? []
      } finally {
        raw.close()
      }
    },
    migrate: async (now, migrations = MIGRATIONS) => {
      const { raw, db } = openForWriting(file)
      try {
        raw.exec('begin immediate')
        await migrate(db, SQLITE_TYPES, now, migrations)
        raw.exec('commit')
      } finally {
        raw.close()
      }
    },
    open: (now) => openSqliteStore({ startWriter: startThreadWriter, file, now }),
  }
}

function onPostgres(url: string): EmptyDatabase {
  return {
    words: { yes: 'true', no: 'false' },
    run: async (...statements) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      try {
        let rows: Record<string, unknown>[] = []
        for (const statement of statements) ({ rows } = await client.query(statement))
        return rows
      } finally {
        await client.end()
      }
    },
    migrate: async (now, migrations = MIGRATIONS) => {
      const pool = new pg.Pool({ connectionString: url, max: 1 })
      const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) })
      try {
        await db.transaction().execute((transaction) => migrate(transaction, POSTGRES_TYPES, now, migrations))
      } finally {
        await db.destroy()
      }
    },
    open: (now) => openPostgresStore({ url, nodeId: newId(), now, onWarning: () => {} }),
  }
}
