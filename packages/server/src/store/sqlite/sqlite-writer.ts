import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { AppError } from '@countersign/core'
import { shrinkHeap } from '../../platform/shrink-heap.ts'
import type { AnyOperation } from '../operation.ts'
import { type OpenTransaction, runOperation } from '../run-operation.ts'
import { SessionCounts } from '../session-counts.ts'
import { isFileProblem } from '../store-problem.ts'
import { openForWriting, WRITE_LOCK_WAIT_MS } from './open-database.ts'
import { SessionFiling } from './session-filing.ts'
import {
  fromWriter,
  type NumberedWrite,
  type ToWriter,
  toSentError,
  type WriteAnswer,
  writesOf,
} from './writer-messages.ts'
import type { WriterOptions } from './writer-options.ts'

/** Writes that have arrived together share one durable commit, up to this many. */
const MAX_WRITES_PER_COMMIT = 256

/** Refused writes come in bursts: so many groups after one are run with a savepoint for each write. */
const CAREFUL_AFTER_REFUSAL = 50

const DEFAULT_IDLE_MS = 10_000
const FILED_AT_ONCE = 512

const SQLITE_BUSY = 5
/** A commit takes a fraction of a millisecond. */
const LOCK_RETRY_MS = 0.5

/** Turns this worker thread into the writer of the embedded database. The thread's entry file hands over the operations that it may run. */
export function serveWrites(operations: readonly AnyOperation[]): void {
  if (!parentPort) throw new TypeError('the writer runs as a worker thread')
  const writer = new SqliteWriter(operations, parentPort, workerData as WriterOptions)
  shrinkHeap()
  writer.start()
}

/** Runs operations on the one connection that writes, grouping those that arrive together into one durable commit. */
class SqliteWriter {
  readonly #operations: ReadonlyMap<string, AnyOperation>
  readonly #port: MessagePort
  readonly #options: WriterOptions
  readonly #raw: DatabaseSync
  readonly #on: OpenTransaction
  readonly #sessionCounts: SessionCounts
  readonly #sessionFiling: SessionFiling
  readonly #statements: Readonly<Record<keyof typeof STATEMENTS, StatementSync>>
  readonly #waiting: NumberedWrite[] = []
  #fileRestLater: NodeJS.Timeout | undefined
  #carefulGroups = 0
  #isFlushing = false
  #isClosing = false

  constructor(operations: readonly AnyOperation[], port: MessagePort, options: WriterOptions) {
    this.#operations = new Map(operations.map((operation) => [operation.name, operation]))
    this.#port = port
    this.#options = options
    const { raw, db } = openForWriting(options.file)
    this.#raw = raw
    // We wait ourselves: SQLite's own wait sleeps up to 100 ms at a time.
    if (options.isShared) raw.exec('pragma busy_timeout = 0')
    const isShared = options.isShared === true
    this.#sessionCounts = new SessionCounts({ isShared })
    this.#sessionFiling = new SessionFiling(raw, { isShared })
    this.#on = { db, dialect: 'sqlite', sessionCounts: this.#sessionCounts, sessionFiling: this.#sessionFiling }
    this.#statements = {
      begin: raw.prepare(STATEMENTS.begin),
      commit: raw.prepare(STATEMENTS.commit),
      mark: raw.prepare(STATEMENTS.mark),
      keep: raw.prepare(STATEMENTS.keep),
      undo: raw.prepare(STATEMENTS.undo),
      addSessions: raw.prepare(STATEMENTS.addSessions),
    }
  }

  start(): void {
    this.#fileRestLater = setTimeout(() => this.#fileRest(), this.#options.idleMs ?? DEFAULT_IDLE_MS).unref()
    this.#port.on('message', (message: ToWriter) => {
      if (message === 'close') this.#isClosing = true
      else this.#waiting.push(...writesOf(message))
      if (this.#isFlushing) return
      this.#isFlushing = true
      // A turn of the event loop lets the writes that were sent at the same time arrive together.
      setImmediate(() => void this.#flush())
    })
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, MAX_WRITES_PER_COMMIT)
      this.#port.postMessage(fromWriter(await this.#commitTogether(group)))
      // Writes that came meanwhile are still on their way: without a turn of the event loop each would get a commit of its own.
      await nextTurn()
    }
    this.#isFlushing = false
    this.#fileRestLater?.refresh()
    if (!this.#isClosing) return
    this.#raw.close()
    this.#port.close()
  }

  async #commitTogether(group: readonly NumberedWrite[]): Promise<WriteAnswer[]> {
    try {
      this.#begin()
      const answers = (await this.#runTogether(group)) ?? (await this.#runOneByOne(group))
      if (this.#options.artificialCommitMs) pause(this.#options.artificialCommitMs)
      this.#sessionFiling.fileSome()
      this.#statements.commit.run()
      this.#sessionFiling.kept()
      return answers
    } catch (error) {
      if (this.#raw.isTransaction) this.#raw.exec('rollback')
      this.#forgetUndone()
      // Nothing of the group is on the disk, so that every write of it has failed.
      const refusal = toSentError(new AppError('STORE_UNAVAILABLE', undefined, { cause: error }))
      process.stderr.write(`${JSON.stringify({ level: 50, msg: 'commit failed', error: String(error) })}\n`)
      return group.map(({ id }) => ({ id, error: refusal }))
    }
  }

  /**
   * Runs the group without savepoints, which cost a seventh of a write. Returns undefined, with everything undone, when one of them is refused.
   */
  async #runTogether(group: readonly NumberedWrite[]): Promise<WriteAnswer[] | undefined> {
    if (this.#carefulGroups > 0) {
      this.#carefulGroups -= 1
      return undefined
    }
    try {
      const answers: WriteAnswer[] = []
      for (const write of group) answers.push(await this.#run(write))
      this.#writeSessionCount()
      return answers
    } catch (error) {
      if (isFileProblem(error)) throw error
      this.#carefulGroups = CAREFUL_AFTER_REFUSAL
      this.#raw.exec('rollback')
      this.#forgetUndone()
      this.#begin()
      return undefined
    }
  }

  /** Runs each write under a savepoint: one that is refused is undone alone. */
  async #runOneByOne(group: readonly NumberedWrite[]): Promise<WriteAnswer[]> {
    const { mark, keep, undo } = this.#statements
    const answers: WriteAnswer[] = []
    for (const write of group) {
      mark.run()
      try {
        const answer = await this.#run(write)
        this.#writeSessionCount()
        answers.push(answer)
      } catch (error) {
        // A full disk fails every write of the group, and with it the commit.
        if (isFileProblem(error)) throw error
        undo.run()
        this.#forgetUndone()
        answers.push({ id: write.id, error: toSentError(error) })
      }
      keep.run()
    }
    return answers
  }

  async #run({ id, name, args, meta }: NumberedWrite): Promise<WriteAnswer> {
    const operation = this.#operations.get(name)
    if (!operation) throw new TypeError(`operation ${name} is not in the table of the writer thread`)
    const { result, changes } = await runOperation(this.#on, operation, args, meta)
    return { id, result, changes }
  }

  #forgetUndone(): void {
    this.#sessionCounts.forget()
    this.#sessionFiling.undone()
  }

  /** Indexes the remaining sessions in pieces, as long as there is nothing else to write. */
  #fileRest(): void {
    if (this.#isFlushing || this.#isClosing || !this.#sessionFiling.hasUnfiled) return
    try {
      this.#begin()
      this.#sessionFiling.fileNext(FILED_AT_ONCE)
      this.#statements.commit.run()
      this.#sessionFiling.kept()
      setImmediate(() => this.#fileRest())
    } catch {
      // Readers find these sessions all the same; the next commit reports what is wrong.
      if (this.#raw.isTransaction) this.#raw.exec('rollback')
      this.#sessionFiling.undone()
    }
  }

  #writeSessionCount(): void {
    const started = this.#sessionCounts.takeNotWritten()
    if (started > 0) this.#statements.addSessions.run(started)
  }

  /** Takes the write lock, which another process may hold for the time of a commit. */
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

/** Prepared once: these run with every write. */
const STATEMENTS = {
  begin: 'begin immediate',
  commit: 'commit',
  mark: 'savepoint one_write',
  keep: 'release one_write',
  undo: 'rollback to one_write',
  addSessions: "update row_counts set total = total + ? where table_name = 'api_sessions'",
} as const

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
