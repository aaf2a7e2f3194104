import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { WRITER_ENTRY } from '../../src/operations/writer-entry.ts'

/** The test runner names the bundled command. Its writer thread loads in a sixth of the time. */
const bundle = join(dirname(process.env.TEST_COMMAND ?? ''), '..', 'dist', 'writer.js')

/** The entry file of the writer thread: bundled when the test runner made a bundle, else the source. */
export const TEST_WRITER_ENTRY =
  process.env.TEST_COMMAND && !process.env.NODE_V8_COVERAGE && existsSync(bundle) ? pathToFileURL(bundle) : WRITER_ENTRY
