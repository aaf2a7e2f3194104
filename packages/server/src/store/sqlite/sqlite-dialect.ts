import {
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type LimitNode,
  type OffsetNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { type DirectConnection, setDirectConnection } from '../direct-connection.ts'
import type { Database } from '../schema.ts'

/** Kysely on one connection to SQLite. */
export function createSqliteKysely(connection: DatabaseConnection & DirectConnection): Kysely<Database> {
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new SqliteDriver(connection),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new QueryCompiler(),
  }
  const db = new Kysely<Database>({ dialect })
  setDirectConnection(db, connection)
  return db
}

/** Casts `limit` and `offset`: SQLite re-prepares a statement for each value of a bare placeholder there, which takes longer than most queries. */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit ')
    this.#visitCast(limit)
  }

  protected override visitOffset({ offset }: OffsetNode): void {
    this.append('offset ')
    this.#visitCast(offset)
  }

  #visitCast(node: LimitNode['limit']): void {
    this.append('cast(')
    this.visitNode(node)
    this.append(' as integer)')
  }
}

class SqliteDriver implements Driver {
  readonly #connection: DatabaseConnection

  constructor(connection: DatabaseConnection) {
    this.#connection = connection
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async beginTransaction(): Promise<void> {
    throw new TypeError('the writer thread begins and ends transactions')
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}
