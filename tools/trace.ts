/** `npm run trace [-- ids]`: prints each requirement with the tests that name it, from the last full test run. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './paths.ts'
import { reportFile, type TestReport } from './test/test-record.ts'
import { loadRequirements } from './trace/requirements.ts'
import { printTraces, selectTraces, traceRequirements } from './trace/trace-table.ts'

const words = process.argv.slice(2)
const report = loadReport()
if (!report) stop('There is no report of a full test run: run npm test without a filter first.')
const traces = selectTraces(traceRequirements(loadRequirements(), report.tests), words)
if (traces.length === 0) stop(`No requirement has the id ${words.join(' or ')}: see docs/requirements.`)
console.log(printTraces(traces))

function loadReport(): TestReport | undefined {
  const file = join(root, reportFile)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}
