import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { MessagePort } from 'node:worker_threads'
import { AppError } from '@countersign/core'
import { IdleSessions } from '../idle-sessions.ts'
import type { AnyOperation } from '../operation.ts'
import { type OpenTransaction, runOperation } from '../run-operation.ts'
import { isFileError } from '../store-error.ts'
import { insertEntries } from '../writes/change-log-writes.ts'
import { insertRecords, type NewRecord } from '../writes/record-writes.ts'
import { openForWriting, WRITE_LOCK_WAIT_MS } from './open-database.ts'
import {
  fromWriter,
  type NumberedWrite,
  type ToWriter,
  toSentError,
  type WriteReply,
  writesOf,
} from './writer-messages.ts'
import type { WriterOptions } from './writer-options.ts'

/** Up to this many writes that arrive together share one durable commit. */
const MAX_WRITES_PER_COMMIT = 256

/** Refused writes come in bursts: this many groups after one run with a savepoint per write. */
const SAVEPOINT_GROUPS_AFTER_REFUSAL = 50

const SQLITE_BUSY = 5
/** Short, because a commit takes a fraction of a millisecond. */
const LOCK_RETRY_MS = 0.5

/** Runs operations on the only connection that writes. Operations that arrive together share one durable commit. */
export class SqliteWriter {
  readonly #operations: ReadonlyMap<string, AnyOperation>
  readonly #port: MessagePort
  readonly #options: WriterOptions
  readonly #raw: DatabaseSync
  readonly #on: OpenTransaction
  readonly #idleSessions = new IdleSessions()
  readonly #statements: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>
  readonly #waiting: NumberedWrite[] = []
  /** Of the writes of the open transaction that have succeeded. */
  #records: NewRecord[] = []
  #savepointGroups = 0
  #isFlushing = false
  #isClosing = false

  constructor(operations: readonly AnyOperation[], port: MessagePort, options: WriterOptions) {
    this.#operations = new Map(operations.map((operation) => [operation.name, operation]))
    this.#port = port
    this.#options = options
    const { raw, db } = openForWriting(options.file)
    this.#raw = raw
    // `#begin` retries itself: SQLite's own wait sleeps up to 100 ms at a time.
    if (options.isShared) raw.exec('pragma busy_timeout = 0')
    this.#on = { db, dialect: 'sqlite', idleSessions: this.#idleSessions }
    this.#statements = {
      begin: raw.prepare(STATEMENTS.begin),
      commit: raw.prepare(STATEMENTS.commit),
      savepoint: raw.prepare(STATEMENTS.savepoint),
      release: raw.prepare(STATEMENTS.release),
      rollbackToSavepoint: raw.prepare(STATEMENTS.rollbackToSavepoint),
    }
  }

  start(): void {
    this.#port.on('message', (message: ToWriter) => {
      if (message === 'close') this.#isClosing = true
      else this.#waiting.push(...writesOf(message))
      if (this.#isFlushing) return
      this.#isFlushing = true
      // After a turn of the event loop, the writes that were sent at the same time have all arrived.
      setImmediate(() => void this.#flush())
    })
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MAX_WRITES_PER_COMMIT)
      this.#port.postMessage(fromWriter(await this.#commitTogether(group)))
      // Lets writes that were sent meanwhile arrive: otherwise each would get a commit of its own.
      await yieldToEventLoop()
    }
    this.#isFlushing = false
    if (!this.#isClosing) return
    this.#raw.close()
    this.#port.close()
  }

  async #commitTogether(group: readonly NumberedWrite[]): Promise<WriteReply[]> {
    this.#records = []
    try {
      this.#begin()
      const replies = (await this.#runTogether(group)) ?? (await this.#runWithSavepoints(group))
      await insertRecords(this.#on, this.#records)
      if (this.#options.artificialCommitMs) pause(this.#options.artificialCommitMs)
      this.#statements.commit.run()
      return replies
    } catch (error) {
      if (this.#raw.isTransaction) this.#raw.exec('rollback')
      this.#idleSessions.clear()
      // No write of the group is on disk, so all of them have failed.
      const refusal = toSentError(new AppError('STORE_UNAVAILABLE', undefined, { cause: error }))
      process.stderr.write(`${JSON.stringify({ level: 50, msg: 'commit failed', error: String(error) })}\n`)
      return group.map(({ id }) => ({ id, error: refusal }))
    }
  }

  /** Runs the group without savepoints, which cost a seventh of a write. Rolls back and returns undefined when a write is refused. */
  async #runTogether(group: readonly NumberedWrite[]): Promise<WriteReply[] | undefined> {
    if (this.#savepointGroups > 0) {
      this.#savepointGroups -= 1
      return undefined
    }
    try {
      const replies: WriteReply[] = []
      for (const write of group) replies.push(await this.#run(write))
      return replies
    } catch (error) {
      if (isFileError(error)) throw error
      this.#savepointGroups = SAVEPOINT_GROUPS_AFTER_REFUSAL
      this.#raw.exec('rollback')
      this.#records = []
      this.#idleSessions.clear()
      this.#begin()
      return undefined
    }
  }

  /** Runs each write under a savepoint, so that a refused write is rolled back alone. */
  async #runWithSavepoints(group: readonly NumberedWrite[]): Promise<WriteReply[]> {
    const { savepoint, release, rollbackToSavepoint } = this.#statements
    const replies: WriteReply[] = []
    for (const write of group) {
      savepoint.run()
      try {
        replies.push(await this.#run(write))
      } catch (error) {
        // A full disk fails every write of the group, and with it the commit.
        if (isFileError(error)) throw error
        rollbackToSavepoint.run()
        this.#idleSessions.clear()
        replies.push({ id: write.id, error: toSentError(error) })
      }
      release.run()
    }
    return replies
  }

  async #run({ id, name, args, meta }: NumberedWrite): Promise<WriteReply> {
    const operation = this.#operations.get(name)
    if (!operation) throw new TypeError(`operation ${name} is not in the table of the writer thread`)
    const { result, changes, entries, records } = await runOperation(this.#on, operation, args, meta)
    await insertEntries(this.#on, entries)
    this.#records.push(...records)
    return { id, result, changes }
  }

  /** Acquires the write lock, which another process may hold during its commit. */
  #begin(): void {
    const deadline = performance.now() + WRITE_LOCK_WAIT_MS
    for (;;) {
      try {
        this.#statements.begin.run()
        return
      } catch (error) {
        const isBusy = (error as { errcode?: number }).errcode === SQLITE_BUSY
        if (!this.#options.isShared || !isBusy || performance.now() > deadline) throw error
        pause(Math.random() * LOCK_RETRY_MS)
      }
    }
  }
}

const STATEMENTS = {
  begin: 'begin immediate',
  commit: 'commit',
  savepoint: 'savepoint one_write',
  release: 'release one_write',
  rollbackToSavepoint: 'rollback to one_write',
} as const

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
