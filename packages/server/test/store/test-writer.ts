import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MessageChannel } from 'node:worker_threads'
import { OPERATIONS } from '../../src/operations/operations.ts'
import { startWriter } from '../../src/operations/start-writer.ts'
import { SqliteWriter } from '../../src/store/sqlite/sqlite-writer.ts'
import type { StartWriter } from '../../src/store/sqlite/writer-options.ts'

/** The test runner names the bundled command. Its writer thread loads in a sixth of the time. */
const bundle = join(dirname(process.env.TEST_COMMAND ?? ''), '..', 'dist', 'writer.js')
const entry = process.env.TEST_COMMAND !== undefined && existsSync(bundle) ? pathToFileURL(bundle) : undefined

/** A writer thread, as controllers have it. */
export const startThreadWriter: StartWriter = (options) => startWriter(options, entry)

/** The writer in this thread, for the many tests that would wait for a thread to start. Writers that share a file need threads. */
export const startTestWriter: StartWriter = (options) => {
  if (options.isShared) return startThreadWriter(options)
  const { port1, port2 } = new MessageChannel()
  new SqliteWriter(OPERATIONS, port2, options).start()
  return {
    postMessage: (message) => port1.postMessage(message),
    // biome-ignore lint/suspicious/noExplicitAny: the type of the value depends on the event
    on: (event: 'message' | 'error' | 'exit', listener: (value: any) => void) =>
      port1.on(event === 'exit' ? 'close' : event, listener),
  }
}
