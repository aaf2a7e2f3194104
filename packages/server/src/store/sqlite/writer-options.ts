import type { FromWriter, ToWriter } from './writer-messages.ts'

/** Options of the writer. */
export interface WriterOptions {
  readonly file: string
  /** Whether other processes write to the same file. */
  readonly isShared?: boolean
  /** Delays every commit, so that tests can show that readers do not wait for it. */
  readonly artificialCommitMs?: number
}

/** The writer as the store sees it: a worker thread, or in tests a port to one that runs in the same thread. */
export interface Writer {
  postMessage(message: ToWriter): void
  on(event: 'message', listener: (message: FromWriter) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'exit', listener: () => void): unknown
}

export type StartWriter = (options: WriterOptions) => Writer
