import { parentPort, workerData } from 'node:worker_threads'
import { AppError } from '@countersign/core'
import { runWrite } from '../run-write.ts'
import { openForWriting } from './open-database.ts'
import { type FromWriter, type ToWriter, toSentError } from './writer-messages.ts'

/** Writes that have arrived together share one durable commit, up to this many. */
const MAX_WRITES_PER_COMMIT = 256

export interface WriterOptions {
  readonly file: string
  /** Makes every commit this slow, to show in tests that nobody else waits for it. */
  readonly artificialCommitMs?: number
}

const port = parentPort
if (!port) throw new TypeError('the writer runs as a worker thread')

const options = workerData as WriterOptions
const { raw, db } = openForWriting(options.file)
const waiting: Exclude<ToWriter, 'close'>[] = []
let flushing = false

port.on('message', (message: ToWriter) => {
  if (message === 'close') {
    raw.close()
    port.close()
    return
  }
  waiting.push(message)
  if (flushing) return
  flushing = true
  // A turn of the event loop lets the writes that were sent together arrive together.
  setImmediate(() => void flush())
})

async function flush(): Promise<void> {
  while (waiting.length > 0) {
    const batch = waiting.splice(0, MAX_WRITES_PER_COMMIT)
    for (const answer of await commitTogether(batch)) port?.postMessage(answer)
  }
  flushing = false
}

async function commitTogether(batch: readonly Exclude<ToWriter, 'close'>[]): Promise<FromWriter[]> {
  const answers: FromWriter[] = []
  try {
    raw.exec('begin immediate')
    for (const { id, ...request } of batch) {
      raw.exec('savepoint one_write')
      try {
        answers.push({ id, ...(await runWrite(db, 'sqlite', request)) })
        raw.exec('release one_write')
      } catch (error) {
        raw.exec('rollback to one_write; release one_write')
        answers.push({ id, error: toSentError(error) })
      }
    }
    if (options.artificialCommitMs)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, options.artificialCommitMs)
    raw.exec('commit')
    return answers
  } catch (error) {
    if (raw.isTransaction) raw.exec('rollback')
    // Nothing of the group is on the disk: nobody may be told otherwise.
    const refusal = toSentError(new AppError('STORE_UNAVAILABLE', undefined, { cause: error }))
    process.stderr.write(`${JSON.stringify({ level: 50, msg: 'commit failed', error: String(error) })}\n`)
    return batch.map(({ id }) => ({ id, error: refusal }))
  }
}
