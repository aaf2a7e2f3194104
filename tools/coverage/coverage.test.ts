import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestRecord } from '../test/test-record.ts'
import { compareCoverage } from './check-coverage.ts'
import { buildCoverage, readNamedTests } from './coverage-table.ts'
import { readIds } from './read-ids.ts'
import { type CoverageRow, loadRows } from './rows.ts'

const rows: CoverageRow[] = [
  { id: 'H-03', what: 'two certificates | chain' },
  { id: 'H-09', what: 'something' },
  { id: 'S1-2.1', what: 'fields' },
  { id: 'S1-2.1.kid', what: 'field `kid`' },
  { id: 'D4', what: 'kid', note: 'open: half of it' },
]
const known = new Set(rows.map(({ id }) => id))
const tests: TestRecord[] = [
  { title: 'H-03 H-09 refuses a | b <c> & d (maybe)', file: 'packages/a.test.ts', result: 'passed' },
  { title: 'D4 shows the kid', file: 'packages/b.test.ts', result: 'passed' },
  { title: 'S1-2.1 kid is shown', file: 'packages/b.test.ts', result: 'passed' },
  { title: 'S1-2.1 fails', file: 'packages/b.test.ts', result: 'failed' },
]

test('a test holds every id its title begins with', () => {
  assert.deepEqual(readIds('H-03 H-09: refuses D4', known), { ids: ['H-03', 'H-09'], unknown: [] })
  assert.deepEqual(readIds('S1-2.1 kid is shown', known), { ids: ['S1-2.1.kid'], unknown: [] })
  assert.deepEqual(readIds('S1-2.1 all are shown', known), { ids: ['S1-2.1'], unknown: [] })
  assert.deepEqual(readIds('H-3 H-03..H-09 refuses', known), { ids: [], unknown: ['H-3', 'H-03..H-09'] })
  assert.deepEqual(readIds('P-256 keys are admitted', known), { ids: [], unknown: [] })
})

test('the page names the tests that passed, and keeps open what has none or a note', () => {
  const page = buildCoverage(rows, tests)
  assert.match(page, /^5 rows: 3 held by tests, 2 open\.$/m)
  assert.match(page, /^\| S1-2\.1 \| fields \| open \|$/m)
  assert.match(page, /^\| D4 \| kid \| open: half of it<br>D4 shows the kid \(/m)
  const named = new Set(readNamedTests(page).map(({ title, file }) => `${title} in ${file}`))
  assert.deepEqual(named, new Set(tests.slice(0, 3).map(({ title, file }) => `${title} in ${file}`)))
})

test('a named test that did not run, an unknown id and a row without a line are problems', () => {
  const page = buildCoverage(rows, tests)
  assert.deepEqual(compareCoverage(page, rows, tests), [])
  assert.match(compareCoverage(page, rows, tests.slice(1)).join('\n'), /names a test that did not run: H-03 H-09/)
  const stranger: TestRecord = { title: 'H-99 x', file: 'a', result: 'passed' }
  assert.match(compareCoverage(page, rows, [...tests, stranger]).join('\n'), /unknown id H-99/)
  assert.match(compareCoverage(page, [...rows, { id: 'H-10', what: '' }], tests).join('\n'), /no row H-10/)
})

test('the committed rows hold the seeds, the decisions, the behaviours and the attacks', () => {
  const ids = new Set(loadRows().map(({ id }) => id))
  const decisions = Array.from({ length: 50 }, (_, index) => `D${index + 1}`)
  const behaviours = Array.from({ length: 75 }, (_, index) => `W-${index + 1}`)
  for (const id of [...decisions, ...behaviours, 'S1-1.1', 'S2-5.9', 'A-01', 'T-06']) assert.ok(ids.has(id), id)
})
