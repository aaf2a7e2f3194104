import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatFailed } from './repeat-failed.ts'
import type { RunResult } from './run-files.ts'
import type { TestRecord } from './test-record.ts'

const resultOf = (...records: readonly TestRecord[]): RunResult => ({ records, durations: new Map(), coverage: [] })
const recordOf = (file: string, title: string, result: TestRecord['result']): TestRecord => ({ file, title, result })
const FILES = ['a', 'b', 'c', 'd', 'e', 'f']

test('files that failed run once more, and what they do then counts', async () => {
  const first = resultOf(
    recordOf('a', 'one', 'failed'),
    recordOf('a', 'two', 'passed'),
    recordOf('b', 'one', 'failed'),
    recordOf('c', 'one', 'passed'),
  )
  const runs: (readonly string[])[] = []
  const again = [recordOf('a', 'one', 'passed'), recordOf('a', 'two', 'passed'), recordOf('b', 'one', 'failed')]
  const { records, unsteady } = await repeatFailed(first, FILES, async (failed) => {
    runs.push(failed)
    return resultOf(...again)
  })
  assert.deepEqual(runs, [['a', 'b']])
  assert.deepEqual(records, [recordOf('c', 'one', 'passed'), ...again])
  assert.deepEqual(unsteady, ['one (a)'])
})

test('nothing runs again when all passed, when many files failed, or when a process ended early', async () => {
  for (const records of [
    [recordOf('a', 'one', 'passed'), recordOf('b', 'one', 'skipped')],
    FILES.map((file) => recordOf(file, 'one', 'failed')),
    [recordOf('group-1.test.mjs', 'runs to its end', 'failed'), recordOf('a', 'holds a test', 'failed')],
  ] as const) {
    const first = resultOf(...records)
    const result = await repeatFailed(first, FILES, () => assert.fail('ran again'))
    assert.deepEqual([result.records, result.unsteady], [records, []])
  }
})
