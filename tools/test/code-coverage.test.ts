import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../paths.ts'
import { type FileCoverage, isMeasured, sumCoverage } from './code-coverage.ts'

const floors = [{ folder: 'packages/core/src', lines: 100, branches: 98 }]

/** A file of ten lines, of which `missing` were not executed. */
function fileWith(path: string, missing: readonly number[], coveredBranchCount = 4): FileCoverage {
  return {
    path: join(root, path),
    totalLineCount: 10,
    coveredLineCount: 10 - missing.length,
    totalBranchCount: 4,
    coveredBranchCount,
    lines: Array.from({ length: 10 }, (_, at) => ({ line: at + 1, count: missing.includes(at + 1) ? 0 : 1 })),
  }
}

test('a folder at its floor has no shortfall', () => {
  const [core] = sumCoverage([fileWith('packages/core/src/a.ts', [])], floors)
  assert.equal(core?.summary, 'packages/core/src: 100.00 % of lines, 100.00 % of branches in 1 files')
  assert.deepEqual(core.shortfall, [])
})

test('a folder below its floor names the lines and branches that no test executes', () => {
  const [lines] = sumCoverage([fileWith('packages/core/src/a.ts', [3, 4, 5, 9])], floors)
  assert.match(lines?.shortfall.join('\n') ?? '', /a\.ts: lines 3-5 9$/)
  const [branches] = sumCoverage([fileWith('packages/core/src/a.ts', [], 3)], floors)
  assert.match(branches?.shortfall.join('\n') ?? '', /a\.ts: 1 branches$/)
})

test('tests and other folders do not count', () => {
  const files = [
    fileWith('packages/core/src/a.ts', []),
    fileWith('packages/core/src/a.test.ts', [1]),
    fileWith('packages/cli/src/a.ts', [1]),
  ]
  assert.deepEqual(sumCoverage(files, floors)[0]?.shortfall, [])
})

test('a run without coverage falls short', () => {
  assert.equal(sumCoverage([], floors)[0]?.shortfall.length, 1)
})

test('the tests of the packages with a floor are measured, the end-to-end tests are not', () => {
  assert.ok(isMeasured('packages/core/src/token/a.test.ts'))
  assert.ok(isMeasured('packages/server/test/http/a.test.ts'))
  assert.ok(!isMeasured('packages/cli/src/a.test.ts'))
  assert.ok(!isMeasured('e2e/start/a.test.ts'))
})
