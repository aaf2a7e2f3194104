import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listSkipped, listSlowest, listUnsteady } from './summaries.ts'
import type { TestRecord } from './test-record.ts'

test('the ten slowest files are listed, the slowest first', () => {
  const durations = Array.from({ length: 12 }, (_, at) => [`${at}.test.ts`, at * 1000] as const)
  const lines = listSlowest(durations)
  assert.equal(lines.length, 11)
  assert.match(lines[1] ?? '', /11\.0 s {2}11\.test\.ts$/)
  assert.deepEqual(listSlowest([]), [])
})

test('skipped tests are counted by reason', () => {
  const record = (result: TestRecord['result'], why?: string) => ({
    title: 't',
    file: 'f',
    result,
    ...(why && { why }),
  })
  const records = [record('skipped', 'no browser'), record('skipped', 'no browser'), record('passed'), record('failed')]
  assert.match(listSkipped(records).join('\n'), /2: no browser$/)
  assert.deepEqual(listSkipped([record('passed')]), [])
})

test('tests that passed only at the second try are listed', () => {
  assert.match(listUnsteady(['one (a.test.ts)']).join('\n'), /second try:\n {2}one \(a\.test\.ts\)$/)
  assert.deepEqual(listUnsteady([]), [])
})
