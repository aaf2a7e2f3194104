/**
 * `npm test [-- words or paths] [--grep text] [--concurrency N]`: runs the tests whose path holds one of the words, or all.
 *
 * Ends with `N passed, N failed`. A skipped or todo test, a file without tests and a run without tests fail. A full run
 * also fails on a title with an unknown requirement id, and on a requirement that no passing test names.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../packages/testkit/src/postgres.ts'
import { listFiles, root } from './paths.ts'
import { ensureCommand } from './run/command.js'
import { runFiles } from './test/run-files.ts'
import { reportFile, type TestRecord } from './test/test-record.ts'
import { checkTrace } from './trace/check-trace.ts'
import { loadRequirements, requirementsFolder } from './trace/requirements.ts'

const patterns = [
  'packages/*/src/**/*.test.ts',
  'packages/*/test/**/*.test.ts',
  'e2e/**/*.test.ts',
  'bench/**/*.test.ts',
  'tools/**/*.test.ts',
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { grep: { type: 'string' }, concurrency: { type: 'string', default: '2' } },
})
const write = (line: string) => process.stdout.write(`${line}\n`)
const full = positionals.length === 0 && values.grep === undefined
const files = listFiles(patterns).filter((file) => full || matches(file))
if (files.length === 0) {
  write(`No test file's path holds ${positionals.join(' or ')}.\n\n0 passed, 0 failed`)
  process.exit(1)
}
// Every file is a process, and every controller in it has a thread that loads half of the house: what was compiled once is not again.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'countersign-tests')
process.env.TEST_COMMAND ??= join(root, await ensureCommand({ root, node: process.execPath }))
const server = files.length > 1 ? await shareServer() : undefined

const records: TestRecord[] = await runFiles({
  files: files.map((file) => join(root, file)),
  concurrency: Number(values.concurrency),
  ...(values.grep === undefined ? {} : { grep: values.grep }),
  write,
}).finally(() => server?.stop())

if (full) {
  records.push(...traceRecords())
  mkdirSync(dirname(join(root, reportFile)), { recursive: true })
  writeFileSync(join(root, reportFile), `${JSON.stringify({ tests: records }, null, 2)}\n`)
}

const passed = records.filter(({ result }) => result === 'passed').length
const failed = records.length - passed
if (failed > 0) write('\nNot passed:')
for (const { title, file, result, why } of records) {
  // Told once more: what was written at its moment is far above, and cut off where only the end of a log is kept.
  if (result !== 'passed') write(`  ${result}: ${title} (${file})${why ? `\n${why}` : ''}`)
}
if (records.length === 0) write('No test ran.')
write(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

function matches(file: string): boolean {
  return positionals.length === 0 || positionals.some((word) => file.includes(word.replace(/^\.\//, '')))
}

/** One server for the whole run; where there is none, the tests that need it say so themselves. */
async function shareServer() {
  if (process.env.TEST_DATABASE_URL) return undefined
  try {
    const started = await startPostgres()
    process.env.TEST_DATABASE_URL = started.url
    write(`PostgreSQL for this run: ${started.origin}`)
    return started
  } catch (error) {
    write(String(error))
    return undefined
  }
}

function traceRecords(): TestRecord[] {
  const problems = checkTrace(loadRequirements(), records)
  const title = 'every requirement has a passing test, and every id in a title is known'
  const why = problems.map((problem) => `    ${problem}`).join('\n')
  return [{ title, file: requirementsFolder, result: why === '' ? 'passed' : 'failed', ...(why !== '' && { why }) }]
}
