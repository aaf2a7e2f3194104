import { Worker } from 'node:worker_threads'
import { forwardToLog } from '../platform/log/create-log.ts'
import type { Writer, WriterOptions } from '../store/sqlite/writer-options.ts'

const WRITER_ENTRY = new URL('./writer.ts', import.meta.url)

/** Starts the embedded database's writer thread. */
export function startWriter(options: WriterOptions, entry = WRITER_ENTRY): Writer {
  const thread = new Worker(entry, { name: 'writer', workerData: options, stderr: true })
  forwardToLog(thread.stderr)
  return thread
}
