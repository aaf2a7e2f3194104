import type { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { FairQueue } from '../../src/platform/fair-queue.ts'
import { migrate } from '../../src/store/migrations/migrate.ts'
import { SQLITE_TYPES } from '../../src/store/migrations/migration.ts'
import type { AnyOperation } from '../../src/store/operation.ts'
import type { OperationMeta } from '../../src/store/operation-meta.ts'
import type { Committed } from '../../src/store/postgres/published-writes.ts'
import { runOperation } from '../../src/store/run-operation.ts'
import type { Database } from '../../src/store/schema.ts'
import { openForWriting } from '../../src/store/sqlite/open-database.ts'
import type { SqliteConnection } from '../../src/store/sqlite/sqlite-connection.ts'
import { insertEntries } from '../../src/store/writes/change-log-writes.ts'
import { insertPendingRecord, joinRecords } from '../../src/store/writes/record-writes.ts'

/** Commits are numbered in their order. */
interface NumberedCommit extends Committed {
  readonly commit: number
}

/** Called after each commit, with its number, before any other statement. */
type CommitListener = (commit: number) => void

/**
 * The database that the nodes of a simulation share, in memory. Writes run one after the other, as under PostgreSQL's advisory lock, and reads
 * see committed rows only. A simulation is one transaction that is rolled back at its end, so that the schema is created once.
 */
export class SharedDatabase {
  readonly db: Kysely<Database>
  readonly connection: SqliteConnection
  readonly #raw: DatabaseSync
  readonly #turns = new FairQueue({ atOnce: 1, maxWaiting: Number.POSITIVE_INFINITY })
  #onCommit: CommitListener = () => {}
  #commits = 0

  private constructor({ raw, db, connection }: ReturnType<typeof openForWriting>) {
    this.#raw = raw
    this.db = db
    this.connection = connection
  }

  static async open(): Promise<SharedDatabase> {
    const handle = openForWriting(':memory:')
    await migrate(handle.db, SQLITE_TYPES, 1)
    return new SharedDatabase(handle)
  }

  begin(onCommit: CommitListener): void {
    this.#onCommit = onCommit
    this.#raw.exec('begin')
  }

  rollBack(): void {
    this.#onCommit = () => {}
    this.#raw.exec('rollback')
  }

  /** Runs an operation and commits it, unless `isAborted`: then it has no effect and the connection is lost. */
  commit(
    operation: AnyOperation,
    args: unknown,
    meta: OperationMeta,
    { isAborted = false }: { readonly isAborted?: boolean } = {},
  ): Promise<NumberedCommit> {
    return this.#inTurn(async () => {
      let skipped = 0
      this.#raw.exec('savepoint one_write')
      try {
        const on = { db: this.db, dialect: 'sqlite' } as const
        const run = await runOperation(on, operation, args, meta)
        const committed = { ...run, entries: await insertEntries(on, run.entries) }
        for (const record of joinRecords(committed.records)) await insertPendingRecord(this.db, record)
        if (isAborted) {
          skipped = committed.entries.length
          throw connectionLost()
        }
        this.#raw.exec('release one_write')
        const commit = ++this.#commits
        this.#onCommit(commit)
        return { ...committed, commit }
      } catch (error) {
        this.#raw.exec('rollback to one_write; release one_write')
        // PostgreSQL does not use the numbers of rolled-back entries again.
        this.#raw.exec(`update sqlite_sequence set seq = seq + ${skipped} where name = 'change_log'`)
        throw error
      }
    })
  }

  read<Result>(query: () => Result | Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => query())
  }

  /** Rows as of now, for checks. */
  rows<Row>(sql: string, ...parameters: readonly string[]): Row[] {
    return this.connection.rowsOf(sql, parameters) as Row[]
  }

  /** The newest entry of the change log. */
  newest(): Promise<number> {
    return this.read(
      () => this.rows<{ seq: number }>('select coalesce(max(seq), 0) as seq from change_log')[0]?.seq ?? 0,
    )
  }

  /** Which of these entries of the change log exist. */
  findEntries(numbers: readonly number[]): Promise<number[]> {
    const sql = `select seq from change_log where seq in (${numbers.join()})`
    return this.read(() => this.rows<{ seq: number }>(sql).map(({ seq }) => seq))
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run('', work)
  }
}

/** The error of the driver. */
export const connectionLost = (): Error => new Error('Connection terminated unexpectedly')
