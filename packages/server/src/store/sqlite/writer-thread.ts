import { setImmediate as nextTurn } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '@countersign/core'
import { shrinkHeap } from '../../platform/shrink-heap.ts'
import { runWrite } from '../run-write.ts'
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

/** Writes that have arrived together share one durable commit, up to this many. */
const MAX_WRITES_PER_COMMIT = 256

export interface WriterOptions {
  readonly file: string
  /** Other processes write to the same file. */
  readonly isShared?: boolean
  /** Makes every commit this slow, to show in tests that nobody else waits for it. */
  readonly artificialCommitMs?: number
  /** When nothing was written for so long, sessions that are not filed yet are. */
  readonly idleMs?: number
}

/** Refusals come in swarms: the next groups after one expect more of them. */
const CAREFUL_AFTER_REFUSAL = 50

const DEFAULT_IDLE_MS = 10_000
const FILED_AT_ONCE = 512

const SQLITE_BUSY = 5
/** A commit takes a fraction of a millisecond. */
const LOCK_RETRY_MS = 0.5

const port = parentPort
if (!port) throw new TypeError('the writer runs as a worker thread')

const options = workerData as WriterOptions
const { raw, db } = openForWriting(options.file)
// Waiting is ours: SQLite's own sleeps up to 100 ms at a time while others come and go.
if (options.isShared) raw.exec('pragma busy_timeout = 0')
const isShared = options.isShared === true
const sessionCounts = new SessionCounts({ isShared })
const sessionFiling = new SessionFiling(raw, { isShared })
const on = { db, dialect: 'sqlite', sessionCounts, sessionFiling } as const
const waiting: NumberedWrite[] = []
let carefulBatches = 0
let isFlushing = false
let isClosing = false

/** Prepared once: these run with every write. */
const begin = raw.prepare('begin immediate')
const commit = raw.prepare('commit')
const markStart = raw.prepare('savepoint one_write')
const keep = raw.prepare('release one_write')
const undo = raw.prepare('rollback to one_write')
const addSessions = raw.prepare("update row_counts set total = total + ? where table_name = 'api_sessions'")

shrinkHeap()

const fileRestLater = setTimeout(fileRest, options.idleMs ?? DEFAULT_IDLE_MS).unref()

port.on('message', (message: ToWriter) => {
  if (message === 'close') isClosing = true
  else waiting.push(...writesOf(message))
  if (isFlushing) return
  isFlushing = true
  // A turn of the event loop lets the writes that were sent at the same time arrive together.
  setImmediate(() => void flush())
})

async function flush(): Promise<void> {
  while (waiting.length > 0) {
    const batch = waiting.splice(0, MAX_WRITES_PER_COMMIT)
    port?.postMessage(fromWriter(await commitTogether(batch)))
    // Those that came meanwhile are still on their way: without a turn of the event loop each would get a commit of its own.
    await nextTurn()
  }
  isFlushing = false
  fileRestLater.refresh()
  if (!isClosing) return
  raw.close()
  port?.close()
}

async function commitTogether(batch: readonly NumberedWrite[]): Promise<WriteAnswer[]> {
  try {
    beginWrite()
    const answers = (await runHopefully(batch)) ?? (await runCarefully(batch))
    if (options.artificialCommitMs) pause(options.artificialCommitMs)
    sessionFiling.fileSome()
    commit.run()
    sessionFiling.kept()
    return answers
  } catch (error) {
    if (raw.isTransaction) raw.exec('rollback')
    forgetUndone()
    // Nothing of the group is on the disk: nobody may be told otherwise.
    const refusal = toSentError(new AppError('STORE_UNAVAILABLE', undefined, { cause: error }))
    process.stderr.write(`${JSON.stringify({ level: 50, msg: 'commit failed', error: String(error) })}\n`)
    return batch.map(({ id }) => ({ id, error: refusal }))
  }
}

/**
 * Writes that are refused are few, and to be ready to undo each one costs a seventh of it. So all are run, and undefined is
 * answered, with nothing done, when one is refused.
 */
async function runHopefully(batch: readonly NumberedWrite[]): Promise<WriteAnswer[] | undefined> {
  if (carefulBatches > 0) {
    carefulBatches -= 1
    return undefined
  }
  try {
    const answers: WriteAnswer[] = []
    for (const write of batch) answers.push(await answerTo(write))
    writeSessionCount()
    return answers
  } catch (error) {
    if (isFileProblem(error)) throw error
    carefulBatches = CAREFUL_AFTER_REFUSAL
    raw.exec('rollback')
    forgetUndone()
    beginWrite()
    return undefined
  }
}

/** Each write for itself: one that is refused is undone alone. */
async function runCarefully(batch: readonly NumberedWrite[]): Promise<WriteAnswer[]> {
  const answers: WriteAnswer[] = []
  for (const write of batch) {
    markStart.run()
    try {
      const answer = await answerTo(write)
      writeSessionCount()
      answers.push(answer)
    } catch (error) {
      // A disk that takes no more fails every write of the group, and with it the commit.
      if (isFileProblem(error)) throw error
      undo.run()
      forgetUndone()
      answers.push({ id: write.id, error: toSentError(error) })
    }
    keep.run()
  }
  return answers
}

async function answerTo(write: NumberedWrite): Promise<WriteAnswer> {
  const { result, changes } = await runWrite(on, write)
  return { id: write.id, result, changes }
}

function forgetUndone(): void {
  sessionCounts.forget()
  sessionFiling.undone()
}

/** In pieces, as long as nobody wants anything else. */
function fileRest(): void {
  if (isFlushing || isClosing || !sessionFiling.hasUnfiled) return
  try {
    beginWrite()
    sessionFiling.fileNext(FILED_AT_ONCE)
    commit.run()
    sessionFiling.kept()
    setImmediate(fileRest)
  } catch {
    // Readers find them all the same; the next commit tells whoever waits for it what is wrong.
    if (raw.isTransaction) raw.exec('rollback')
    sessionFiling.undone()
  }
}

function writeSessionCount(): void {
  const started = sessionCounts.takeNotWritten()
  if (started > 0) addSessions.run(started)
}

/** Takes the write lock, which another process may hold for the time of a commit. */
function beginWrite(): void {
  const deadline = performance.now() + WRITE_LOCK_WAIT_MS
  for (;;) {
    try {
      begin.run()
      return
    } catch (error) {
      const isBusy = (error as { errcode?: number }).errcode === SQLITE_BUSY
      if (!options.isShared || !isBusy || performance.now() > deadline) throw error
      pause(Math.random() * LOCK_RETRY_MS)
    }
  }
}

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
