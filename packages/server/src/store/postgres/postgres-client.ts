import type { Kysely } from 'kysely'
import pg from 'pg'
import type { Database } from '../schema.ts'
import { NamedStatement } from './named-statement.ts'
import { createPostgresKysely, type StatementResult } from './postgres-dialect.ts'

/** For a server that does not respond at all. */
const NO_RESPONSE_MS = 2_000
/** A transaction waits for this process only while its event loop is blocked. */
const IDLE_IN_TRANSACTION_MS = 3_000
export const CONNECT_TIMEOUT_MS = 5_000

/** With more texts, further ones are sent without a name: the server keeps named statements for the life of a connection. */
const MAX_NAMED_STATEMENTS = 500
const statementNames = new Map<string, string>()

const INT8_OID = 20
/** Instants and counts stay far below 2^53, so a number holds them exactly. */
pg.types.setTypeParser(INT8_OID, Number)

export interface ClientOptions {
  readonly url: string
  /** Time limit of a statement. */
  readonly statementMs: number
  readonly name: string
}

/** Sends statements on one connection, each without waiting for the replies to those before it. */
export class PostgresClient {
  readonly #client: pg.Client
  /** For operations, whose texts are few. */
  readonly db: Kysely<Database>
  /** Statements without a reply. */
  pending = 0
  #isRetired = false

  private constructor(client: pg.Client) {
    this.#client = client
    this.db = createPostgresKysely((text, values) => this.query(text, values, { isPrepared: true }))
  }

  /** Calls `onLost` when the connection breaks or ends. */
  static async connect(
    { url, statementMs, name }: ClientOptions,
    onLost: (error?: Error) => void,
  ): Promise<PostgresClient> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      query_timeout: statementMs + NO_RESPONSE_MS,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      application_name: name,
      pipeline: true,
    } as pg.ClientConfig)
    // Without a listener the error would end the process.
    client.on('error', onLost)
    client.on('end', () => onLost())
    await client.connect()
    return new PostgresClient(client)
  }

  /** A text that is sent again and again should be `isPrepared`: it is parsed and planned once per connection. */
  async query(
    text: string,
    values: readonly unknown[],
    { isPrepared }: { isPrepared: boolean },
  ): Promise<StatementResult> {
    this.pending += 1
    try {
      const name = isPrepared ? nameOf(text) : undefined
      if (name === undefined) return await this.#client.query({ text, values: values as unknown[] })
      return await new Promise((resolve, reject) => {
        this.#client.query(new NamedStatement({ name, text, values, resolve, reject }))
      })
    } finally {
      this.pending -= 1
      this.#endIfRetired()
    }
  }

  /** Keeps the connection open for a transaction, also between its statements. Returns a function that ends that; undefined when it is retired. */
  hold(): (() => void) | undefined {
    if (this.#isRetired) return undefined
    this.pending += 1
    return () => {
      this.pending -= 1
      this.#endIfRetired()
    }
  }

  /** Ends the connection when no statement and no transaction is under way. */
  retire(): void {
    this.#isRetired = true
    this.#endIfRetired()
  }

  #endIfRetired(): void {
    if (this.#isRetired && this.pending === 0) this.end().catch(() => {})
  }

  end(): Promise<void> {
    return this.#client.end()
  }
}

function nameOf(text: string): string | undefined {
  const known = statementNames.get(text)
  if (known !== undefined || statementNames.size >= MAX_NAMED_STATEMENTS) return known
  const name = `countersign_${statementNames.size}`
  statementNames.set(text, name)
  return name
}
