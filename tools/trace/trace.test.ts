import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestRecord } from '../test/test-record.ts'
import { checkTrace } from './check-trace.ts'
import { readIds } from './read-ids.ts'
import { loadRequirements, readRequirements } from './requirements.ts'
import { printTraces, selectTraces, traceRequirements } from './trace-table.ts'

const page = `# Title

| id | attack | what must hold | state |
| --- | --- | --- | --- |
| H-03 | two certificates \\| chain | refused |
| H-09 | a key that cannot be parsed | refused |
| S1-2.1 | fields |
| S1-2.1.kid | field \`kid\` |
| D4 | kid | shown | open: half of it is built |
`
const requirements = readRequirements(page)
const known = new Set(requirements.map(({ id }) => id))
const tests: TestRecord[] = [
  { title: 'H-03 H-09 refuses it', file: 'packages/a.test.ts', result: 'passed' },
  { title: 'S1-2.1 kid is shown', file: 'packages/b.test.ts', result: 'passed' },
  { title: 'S1-2.1 all are shown', file: 'packages/b.test.ts', result: 'passed' },
]

test('a line of a table is a requirement, and its last cell can mark it open', () => {
  assert.equal(requirements.length, 5)
  assert.deepEqual(requirements[0], { id: 'H-03', what: 'two certificates | chain: refused' })
  assert.deepEqual(requirements[4], { id: 'D4', what: 'kid: shown', open: 'half of it is built' })
})

test('a test holds every id its title begins with', () => {
  assert.deepEqual(readIds('H-03 H-09: refuses D4', known), { ids: ['H-03', 'H-09'], unknown: [] })
  assert.deepEqual(readIds('S1-2.1 kid is shown', known), { ids: ['S1-2.1.kid'], unknown: [] })
  assert.deepEqual(readIds('S1-2.1 all are shown', known), { ids: ['S1-2.1'], unknown: [] })
  assert.deepEqual(readIds('H-3 H-03..H-09 refuses', known), { ids: [], unknown: ['H-3', 'H-03..H-09'] })
  assert.deepEqual(readIds('P-256 keys are admitted', known), { ids: [], unknown: [] })
})

test('the trace names the passed tests of each id and the open ids', () => {
  const text = printTraces(traceRequirements(requirements, tests))
  assert.match(
    text,
    /^H-09 {2}a key that cannot be parsed: refused\n {2}H-03 H-09 refuses it \(packages\/a\.test\.ts\)$/m,
  )
  assert.match(text, /^D4 {2}kid: shown\n {2}open: half of it is built$/m)
  assert.match(text, /\n5 ids, 1 open: D4$/)
})

test('words select ids and groups of ids', () => {
  const traces = traceRequirements(requirements, tests)
  const select = (...words: string[]) => selectTraces(traces, words).map(({ id }) => id)
  assert.deepEqual(select('H-03'), ['H-03'])
  assert.deepEqual(select('H', 'D4'), ['H-03', 'H-09', 'D4'])
  assert.deepEqual(select('S1-2.1'), ['S1-2.1', 'S1-2.1.kid'])
  assert.deepEqual(select('D'), [])
  assert.equal(select().length, 5)
})

test('an unknown id and an id without a passing test fail, unless it is marked open', () => {
  assert.deepEqual(checkTrace(requirements, tests), [])
  const unknown: TestRecord = { title: 'H-99 x', file: 'a', result: 'passed' }
  assert.match(checkTrace(requirements, [...tests, unknown]).join('\n'), /^unknown id H-99 in a title/)
  assert.match(
    checkTrace(requirements, tests.slice(1)).join('\n'),
    /^no passing test names H-03 .*\nno passing test names H-09/,
  )
  const failed = tests.map((record): TestRecord => ({ ...record, result: 'failed' }))
  assert.equal(checkTrace(requirements, failed).length, 4)
})

test('the committed requirements hold the seeds, the decisions, the behaviours and the attacks', () => {
  const ids = new Set(loadRequirements().map(({ id }) => id))
  const decisions = Array.from({ length: 67 }, (_, index) => `D${index + 1}`)
  const behaviours = Array.from({ length: 75 }, (_, index) => `W-${index + 1}`)
  for (const id of [...decisions, ...behaviours, 'S1-1.1', 'S2-5.9', 'A-01', 'T-06']) assert.ok(ids.has(id), id)
})
