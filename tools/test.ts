/**
 * `npm test [-- words or paths]`: runs the tests whose path contains one of the words, or all.
 *
 * Ends with `N passed, N failed`. A skipped or todo test, a file without tests and a run without tests fail. A full run also fails on a
 * title with an unknown requirement id, and on a requirement that no passing test names. It runs every test on the embedded database,
 * and a seeded tenth of the behaviours on the other deployments.
 * Of the races of an operation it runs one, chosen by the seed. A full run repeats a few files that failed, and lists what passed only then.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../packages/testkit/src/postgres.ts'
import { listFiles, root } from './paths.ts'
import { ensureCommand } from './run/command.js'
import { addUnloaded, COVERED_FILES, type FileCoverage, isMeasured, sumCoverage } from './test/code-coverage.ts'
import { BEHAVIOURS, chooseDeploymentRuns, DEPLOYMENTS } from './test/deployments.ts'
import { findMemoryFolder } from './test/memory-folder.ts'
import { type RepeatedResult, repeatFailed } from './test/repeat-failed.ts'
import { runFiles } from './test/run-files.ts'
import { listSkipped, listSlowest, listUnsteady } from './test/summaries.ts'
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
const usage = `usage: npm test -- [words or paths] [options]
  --grep TEXT            only tests whose title contains TEXT
  --deployment NAME      on another deployment: ${DEPLOYMENTS.join(', ')}
  --coverage             measure code coverage, and fail below the floors
  --seed TEXT            choose another tenth of the deployments
  --concurrency N        test files at a time (two more than there are cores)
npm run matrix           runs the behaviours on all four deployments`

const { values, positionals } = readArguments()
const write = (line: string) => process.stdout.write(`${line}\n`)
const isFull =
  positionals.length === 0 && values.grep === undefined && values.deployment === undefined && !values.matrix
const behaviours = listFiles(BEHAVIOURS).filter(matches)
const files = values.matrix ? behaviours : listFiles(patterns).filter(matches)
if (files.length === 0) {
  write(`No test file's path contains ${positionals.join(' or ')}.\n\n0 passed, 0 failed`)
  process.exit(1)
}
// Node keeps compiled sources here, so that each test process need not compile them again.
process.env.NODE_COMPILE_CACHE ??= join(root, 'node_modules', '.cache', 'countersign-tests')
const memoryFolder = findMemoryFolder()
if (memoryFolder) process.env.TMPDIR ??= memoryFolder
process.env.TEST_COMMAND ??= join(root, await ensureCommand({ root, node: process.execPath }))
const server = files.length > 1 ? await shareServer() : undefined

const results = await runAll().finally(() => server?.stop())
const records = results.flatMap((result) => result.records)
if (isFull) {
  records.push(traceRecord())
  mkdirSync(dirname(join(root, reportFile)), { recursive: true })
  writeFileSync(join(root, reportFile), `${JSON.stringify({ tests: records }, null, 2)}\n`)
}
if (values.matrix && positionals.length === 0 && values.grep === undefined) records.push(await upgradeRecord())
if (values.coverage) records.push(...coverageRecords(results.flatMap(({ coverage }) => coverage)))

const passed = records.filter(({ result }) => result === 'passed').length
const failed = records.length - passed
if (files.length > 10) for (const line of listSlowest(results.flatMap(({ durations }) => [...durations]))) write(line)
for (const line of listSkipped(records)) write(line)
for (const line of listUnsteady(results.flatMap(({ unsteady }) => unsteady))) write(line)
if (failed > 0) write('\nNot passed:')
for (const { title, file, result, why } of records) {
  // Repeated here because logs are often cut at their beginning.
  if (result !== 'passed') write(`  ${result}: ${title} (${file})${why ? `\n${why}` : ''}`)
}
if (records.length === 0) write('No test ran.')
write(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || passed === 0 ? 1 : 0

function readArguments() {
  try {
    const parsed = parseArgs({
      allowPositionals: true,
      options: {
        grep: { type: 'string' },
        concurrency: { type: 'string', default: String(availableParallelism() + 2) },
        coverage: { type: 'boolean', default: false },
        matrix: { type: 'boolean', default: false },
        deployment: { type: 'string' },
        seed: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    })
    const { deployment = 'embedded', help } = parsed.values
    if (!help && DEPLOYMENTS.some((name) => name === deployment)) return parsed
  } catch (error) {
    console.error(String(error))
  }
  console.error(usage)
  process.exit(2)
}

function matches(file: string): boolean {
  return positionals.length === 0 || positionals.some((word) => file.includes(word.replace(/^\.\//, '')))
}

async function runAll(): Promise<RepeatedResult[]> {
  const deployment = values.deployment ?? 'embedded'
  const measured = values.coverage ? files.filter(isMeasured) : []
  const unmeasured = files.filter((file) => !measured.includes(file))
  const own = [
    ...(measured.length > 0 ? [await runOn(deployment, measured, { coverageOf: COVERED_FILES })] : []),
    ...(unmeasured.length > 0 ? [await runOn(deployment, unmeasured)] : []),
  ]
  if (!isFull && !values.matrix) return own
  const seed = values.matrix ? undefined : (values.seed ?? currentCommit())
  const runs = chooseDeploymentRuns(behaviours, seed)
  const count = runs.reduce((sum, run) => sum + run.files.length, 0)
  if (seed) write(`\n${count} runs on other deployments, chosen by --seed ${seed}. npm run matrix runs all.`)
  const others: RepeatedResult[] = []
  for (const run of runs) {
    write(`\nOn ${run.deployment}:`)
    others.push(withDeployment(run.deployment, await runOn(run.deployment, run.files)))
  }
  return [...own, ...others]
}

async function runOn(
  deployment: string,
  chosen: readonly string[],
  options: { coverageOf?: readonly string[] } = {},
): Promise<RepeatedResult> {
  const run = (files: readonly string[], concurrency: number, { coverageOf }: typeof options = {}) =>
    runFiles({
      files: files.map((file) => join(root, file)),
      concurrency,
      env: {
        TEST_DEPLOYMENT: deployment,
        ...(isFull && { TEST_SAMPLE: values.seed ?? currentCommit() }),
        // Code from the compile cache has no exact coverage.
        ...(coverageOf && { NODE_DISABLE_COMPILE_CACHE: '1' }),
      },
      ...(coverageOf && { coverageOf }),
      ...(values.grep === undefined ? {} : { grep: values.grep }),
      write,
    })
  const result = await run(chosen, Number(values.concurrency), options)
  if (!isFull && !values.matrix) return { ...result, unsteady: [] }
  return repeatFailed(result, chosen, (failed) => {
    write(`\nOnce more, one at a time: ${failed.join(', ')}`)
    return run(failed, 1)
  })
}

function withDeployment(deployment: string, result: RepeatedResult): RepeatedResult {
  const records = result.records.map((record) => ({ ...record, title: `${record.title} [${deployment}]` }))
  const durations = new Map([...result.durations].map(([file, ms]) => [`${file} [${deployment}]`, ms]))
  return { ...result, records, durations }
}

/** The tenth changes with every commit. An export without history always has the same. */
function currentCommit(): string {
  const { stdout } = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return stdout?.trim() || 'export'
}

/** Starts one server for the whole run. Without one, the tests that need it report that. */
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

function traceRecord(): TestRecord {
  const title = 'every requirement has a passing test, and every id in a title is known'
  return recordOf(title, requirementsFolder, checkTrace(loadRequirements(), records))
}

/** Here and not in a test file: it starts releases of its own, and `npm test` has no time for it. */
async function upgradeRecord(): Promise<TestRecord> {
  write('\nUpgrade from the previous release:')
  const { run } = await import('../e2e/soak/upgrade.ts')
  const findings = await run(['--seconds=2']).then(
    () => [],
    (error: unknown) => [String(error)],
  )
  return recordOf(
    'a rolling upgrade from the previous release under load fails no request',
    'e2e/soak/upgrade.ts',
    findings,
  )
}

function coverageRecords(coverage: readonly FileCoverage[]): TestRecord[] {
  return sumCoverage(addUnloaded(coverage)).map(({ folder, summary, shortfall }) => {
    write(`Code coverage of ${summary}`)
    return recordOf('the tests execute enough of the sources', folder, shortfall)
  })
}

function recordOf(title: string, file: string, findings: readonly string[]): TestRecord {
  const why = findings.map((finding) => `    ${finding}`).join('\n')
  return { title, file, result: why === '' ? 'passed' : 'failed', ...(why !== '' && { why }) }
}
