import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LogOutput } from '../../src/platform/log/log-output.ts'

const AGAIN = Object.assign(new Error('no room'), { code: 'EAGAIN' })
const NO_SPACE = Object.assign(new Error('no space'), { code: 'ENOSPC' })
const LINE = 'a line\n'
const REPORT = 'report\n'

/** A reader with room for a number of bytes, and an output of at most four lines. */
function createOutput() {
  const reader = { text: '', room: Number.POSITIVE_INFINITY, failure: undefined as Error | undefined }
  const reports: number[] = []
  const output = new LogOutput({
    maxBytes: 4 * LINE.length,
    write: (bytes) => {
      if (reader.failure) throw reader.failure
      if (reader.room === 0) throw AGAIN
      const written = bytes.subarray(0, reader.room)
      reader.text += written
      reader.room -= written.length
      return written.length
    },
    onDropped: (lines) => {
      reports.push(lines)
      output.write(REPORT)
    },
  })
  const writeLines = (count: number): void => {
    for (let n = 0; n < count; n++) output.write(LINE)
  }
  return { reader, reports, output, writeLines }
}

test('writes each line at once while there is room', () => {
  const { reader, reports, writeLines } = createOutput()
  writeLines(100)
  assert.equal(reader.text, LINE.repeat(100))
  assert.deepEqual(reports, [])
})

test('S-19 keeps lines without room, drops what exceeds the limit, and reports the number when all are written', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { reader, reports, writeLines } = createOutput()
  reader.room = LINE.length + 2
  writeLines(8)
  assert.equal(reader.text, `${LINE}a `, 'a line can be written in parts')
  reader.room = LINE.length
  t.mock.timers.tick(100)
  assert.deepEqual(reports, [], 'lines are still kept')
  reader.room = Number.POSITIVE_INFINITY
  t.mock.timers.tick(100)
  assert.equal(reader.text, LINE.repeat(5) + REPORT)
  assert.deepEqual(reports, [3])
  writeLines(1)
  assert.equal(reader.text, LINE.repeat(5) + REPORT + LINE)
  assert.deepEqual(reports, [3], 'each dropped line is reported once')
})

test('drops lines that cannot be written, and reports them after the next that can', () => {
  const { reader, reports, writeLines } = createOutput()
  reader.failure = NO_SPACE
  writeLines(10)
  assert.deepEqual(reports, [])
  reader.failure = undefined
  writeLines(1)
  assert.equal(reader.text, LINE + REPORT)
  assert.deepEqual(reports, [10])
})

test('a flush writes what is kept, and ends without a reader', () => {
  const { reader, output, writeLines } = createOutput()
  reader.room = 0
  writeLines(2)
  const startedAt = performance.now()
  output.flush()
  const tookMs = performance.now() - startedAt
  assert.ok(tookMs < 5_000, `the flush took ${tookMs} ms`)
  assert.equal(reader.text, '')
  reader.room = Number.POSITIVE_INFINITY
  output.flush()
  assert.equal(reader.text, LINE.repeat(2))
})
