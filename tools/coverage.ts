/** `npm run coverage`: writes docs/coverage.md from the last full test run. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { coverageFile } from './coverage/check-coverage.ts'
import { buildCoverage } from './coverage/coverage-table.ts'
import { loadRows } from './coverage/rows.ts'
import { root } from './paths.ts'
import { reportFile, type TestReport } from './test/test-record.ts'

const report = loadReport()
if (!report?.full) {
  console.error('There is no report of a full test run: run npm test without a filter first.')
  process.exit(1)
}
const page = buildCoverage(loadRows(), report.tests)
writeFileSync(join(root, coverageFile), page)
console.log(`${coverageFile}: ${/^\d+ rows: .*$/m.exec(page)?.[0]}`)

function loadReport(): TestReport | undefined {
  const file = join(root, reportFile)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
