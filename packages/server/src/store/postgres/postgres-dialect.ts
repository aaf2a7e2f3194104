import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import { setDirectConnection } from '../direct-connection.ts'
import type { Database } from '../schema.ts'

/** The result of a statement. */
export interface StatementResult {
  readonly command: string
  readonly rowCount: number | null
  // biome-ignore lint/suspicious/noExplicitAny: rows have the shape of their query
  readonly rows: any[]
}

/** Texts that are not `isPrepared` may differ each time. */
export type RunStatement = (
  text: string,
  values: readonly unknown[],
  options: { readonly isPrepared: boolean },
) => Promise<StatementResult>

/** Kysely on a function that runs statements. Transactions begin and end outside of it. */
export function createPostgresKysely(run: RunStatement): Kysely<Database> {
  const connection = new PostgresConnection(run)
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new PostgresDriver(connection),
      createIntrospector: (database: Kysely<unknown>) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  setDirectConnection(db, { rowsOf: async (text, values) => (await run(text, values, { isPrepared: true })).rows })
  return db
}

class PostgresDriver implements Driver {
  readonly #connection: PostgresConnection

  constructor(connection: PostgresConnection) {
    this.#connection = connection
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection
  }

  async beginTransaction(): Promise<void> {
    throw new TypeError('the store begins and ends transactions')
  }

  async commitTransaction(): Promise<void> {}
  async rollbackTransaction(): Promise<void> {}
  async releaseConnection(): Promise<void> {}
  async destroy(): Promise<void> {}
}

const COUNTING_COMMANDS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

class PostgresConnection implements DatabaseConnection {
  readonly #run: RunStatement

  constructor(run: RunStatement) {
    this.#run = run
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { command, rowCount, rows } = await this.#run(sql, parameters, { isPrepared: false })
    return COUNTING_COMMANDS.has(command) ? { numAffectedRows: BigInt(rowCount ?? 0), rows } : { rows }
  }

  streamQuery(): AsyncIterableIterator<never> {
    throw new TypeError('lists are read in pages')
  }
}
