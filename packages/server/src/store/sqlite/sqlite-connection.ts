import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'
import type { DirectConnection } from '../direct-connection.ts'

const MAX_PREPARED_STATEMENTS = 500
/** Longer statements are not kept: a filter of hundreds of terms takes hundreds of kilobytes. */
const MAX_KEPT_SQL_LENGTH = 4_000

interface Prepared {
  readonly statement: StatementSync
  /** Empty for a statement without rows. */
  readonly columns: readonly string[]
}

/** A `node:sqlite` connection with a bounded cache of prepared statements. */
export class SqliteConnection implements DatabaseConnection, DirectConnection {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, Prepared>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const prepared = this.#prepare(sql)
    if (prepared.columns.length > 0) return { rows: readRows(prepared, parameters) as R[] }
    const { changes } = prepared.statement.run(...parameters.map(toSqlite))
    return { rows: [], numAffectedRows: BigInt(changes) }
  }

  rowsOf(sql: string, parameters: readonly unknown[]): unknown[] {
    const prepared = this.#prepare(sql)
    if (prepared.columns.length > 0) return readRows(prepared, parameters)
    prepared.statement.run(...parameters.map(toSqlite))
    return []
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    const { statement, columns } = this.#prepare(query.sql)
    for (const values of statement.iterate(...query.parameters.map(toSqlite))) {
      yield { rows: [toRow(columns, values) as R] }
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    const prepared = { statement, columns: statement.columns().map(({ name }) => name) }
    if (sql.length > MAX_KEPT_SQL_LENGTH) return prepared
    if (this.#statements.size >= MAX_PREPARED_STATEMENTS) {
      const oldest = this.#statements.keys().next().value
      if (oldest !== undefined) this.#statements.delete(oldest)
    }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

function readRows({ statement, columns }: Prepared, parameters: readonly unknown[]): unknown[] {
  return statement.all(...parameters.map(toSqlite)).map((values) => toRow(columns, values))
}

/** The row objects of `node:sqlite` are in dictionary mode: creating and reading them takes twice as long. */
function toRow(columns: readonly string[], values: unknown): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [index, column] of columns.entries()) row[column] = (values as readonly unknown[])[index]
  return row
}

function toSqlite(value: unknown): SQLInputValue {
  return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue)
}
