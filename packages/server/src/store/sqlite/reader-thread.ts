/** The entry file of a thread for reads of the embedded database that may take long. It runs one read at a time, and loads no query builder. */
import { parentPort, workerData } from 'node:worker_threads'
import { openReadOnly } from './open-read-only.ts'
import type { FromReader, ReaderOptions, ToReader } from './reader-messages.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { WITHIN_DEADLINE } from './within-deadline.ts'

const { file, deadlineMs } = workerData as ReaderOptions
const raw = openReadOnly(file)
const connection = new SqliteConnection(raw)
let deadline = 0
let isLate = false

// SQLite has no time limit for a statement; a function that throws ends it.
raw.function(WITHIN_DEADLINE, () => {
  isLate = performance.now() > deadline
  if (isLate) throw new Error('the read took too long')
  return 1
})

parentPort?.on('message', ({ sql, parameters }: ToReader) => {
  deadline = performance.now() + deadlineMs
  isLate = false
  parentPort?.postMessage(read(sql, parameters))
})

function read(sql: string, parameters: readonly unknown[]): FromReader {
  try {
    return { rows: connection.rowsOf(sql, parameters) }
  } catch (error) {
    if (isLate) return { isLate }
    const { message, code, errcode } = error as Error & { code?: unknown; errcode?: unknown }
    return { error: { message, code, errcode } }
  }
}
