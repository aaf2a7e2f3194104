import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { WRITER_ENTRY } from '../../src/operations/writer-entry.ts'

/** The test runner names the bundled command. Its writer thread loads in a sixth of the time. */
const bundle = join(dirname(process.env.TEST_COMMAND ?? ''), '..', 'dist', 'writer.js')
const isBundled = process.env.TEST_COMMAND !== undefined && existsSync(bundle)
let needsSource = process.env.NODE_V8_COVERAGE !== undefined

/**
 * Returns the entry file of a writer thread: bundled when the test runner made a bundle, else the source. Coverage is of the source, so the first
 * writer of a process runs the source then.
 */
export function testWriterEntry(): URL {
  if (isBundled && !needsSource) return pathToFileURL(bundle)
  needsSource = false
  return WRITER_ENTRY
}
