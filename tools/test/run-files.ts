import { join, relative } from 'node:path'
import { run } from 'node:test'
import { inspect } from 'node:util'
import { root } from '../paths.ts'
import type { FileCoverage } from './code-coverage.ts'
import { groupFiles } from './file-groups.ts'
import type { TestRecord } from './test-record.ts'

export interface RunOptions {
  readonly files: readonly string[]
  readonly concurrency: number
  /** Runs only the tests whose title contains this text. */
  readonly grep?: string
  /** Collects the coverage of the files that match these patterns. */
  readonly coverageOf?: readonly string[]
  /** Variables of the test processes beside those of this process. */
  readonly env?: Readonly<Record<string, string>>
  write(line: string): void
}

export interface RunResult {
  readonly records: readonly TestRecord[]
  /** The duration of each file, in milliseconds. */
  readonly durations: ReadonlyMap<string, number>
  readonly coverage: readonly FileCoverage[]
}

/** The members of node:test's events that are read here. */
interface TestEvent {
  readonly name: string
  readonly nesting?: number
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly skip?: string | boolean
  readonly todo?: string | boolean
  readonly details?: {
    readonly type?: string
    readonly duration_ms?: number
    readonly error?: Error & { readonly failureType?: string }
  }
}

const groupTimeoutMs = 15 * 60_000
const groupFolder = join(root, 'node_modules', '.cache', 'countersign-test-groups')
/** New objects of a test are many and short-lived: with 16 MiB for them they are rarely copied. */
const execArgv = ['--min-semi-space-size=16', '--import', join(import.meta.dirname, 'untracked-promises.js')]
const maxOutput = 20_000
const maxReason = 2_000

/**
 * Runs test files in processes of their own, or of their group. Writes one line for each file, and each failure in full. A file without tests
 * counts as a failed test.
 */
export async function runFiles(options: RunOptions): Promise<RunResult> {
  const { files, concurrency, grep, coverageOf, env, write } = options
  const records: TestRecord[] = []
  const durations = new Map<string, number>()
  const coverage: FileCoverage[] = []
  const output = new Map<string, string>()
  const groups = groupFiles(files, { folder: groupFolder, concurrency })
  const filesOf = new Map(groups.map(({ entry, files: members }) => [entry, members]))
  const unfinished = new Set(filesOf.keys())
  const known = new Set(files)
  /** The file of the latest event. The events of one process come one after another. */
  let current: string | undefined

  const stream = run({
    files: [...filesOf.keys()],
    concurrency,
    isolation: 'process',
    timeout: groupTimeoutMs,
    execArgv,
    ...(env && { env: { ...process.env, ...env } }),
    ...(grep && { testNamePatterns: [grep] }),
    ...(coverageOf && { coverage: true, coverageIncludeGlobs: [...coverageOf] }),
  })
  stream.on('test:stdout', keepOutput)
  stream.on('test:stderr', keepOutput)
  stream.on('test:pass', (event: TestEvent) => {
    // Node reports a file as a test when nothing in it reported.
    if (event.name === event.file) return
    addDuration(event)
    const skipped = event.skip ?? event.todo
    if (skipped !== undefined && skipped !== false) {
      add(event, 'skipped', typeof skipped === 'string' && skipped !== '' ? skipped : undefined)
      write(`  ✖ skipped or todo, which does not pass: ${event.name} (${position(event)})`)
    } else if (event.details?.type !== 'suite') add(event, 'passed')
  })
  stream.on('test:fail', (event: TestEvent) => {
    const error = event.details?.error
    if (event.name !== event.file) addDuration(event)
    if (event.details?.type === 'suite' && error?.failureType === 'subtestsFailed') return
    const name = event.name === event.file ? 'runs to its end' : event.name
    const reason = indent(inspect(error?.cause ?? error))
    add({ ...event, name }, 'failed', reason)
    if (error?.failureType === 'subtestsFailed') return
    write(`\n  ✖ ${name}\n    ${position(event)}\n${reason}\n`)
    // This can come after the file's own summary.
    if (event.name === event.file) showOutput(event.file)
  })
  stream.on('test:summary', ({ file, duration_ms }) => {
    if (file === undefined) return
    if (known.has(file)) durations.set(nameOf(file), duration_ms)
    finishGroup(file)
  })
  stream.on('test:diagnostic', ({ message, level }) => {
    if (level !== 'info') write(message)
  })
  stream.on('test:coverage', ({ summary }) => coverage.push(...summary.files))
  for await (const _ of stream);
  // A file that crashed, or printed nothing, has no summary.
  for (const entry of unfinished) finishGroup(entry)
  return { records, durations, coverage }

  function add(event: TestEvent, result: TestRecord['result'], reason?: string): void {
    records.push({
      title: event.name,
      file: nameOf(fileOf(event)),
      result,
      ...(reason && { why: reason.slice(0, maxReason) }),
    })
  }

  /** A test that a fixture declares belongs to the file of the tests in it, whose events come first. */
  function fileOf({ file }: TestEvent): string | undefined {
    if (file !== undefined && known.has(file)) current = file
    return current ?? file
  }

  function addDuration(event: TestEvent): void {
    const name = nameOf(fileOf(event))
    if (event.nesting === 0) durations.set(name, (durations.get(name) ?? 0) + (event.details?.duration_ms ?? 0))
  }

  function finishGroup(entry: string): void {
    for (const file of filesOf.get(entry) ?? []) {
      requireTests(file)
      if (finish(file) > 0) showOutput(entry)
    }
    unfinished.delete(entry)
    current = undefined
  }

  function keepOutput({ file, message }: { file: string; message: string }): void {
    output.set(file, ((output.get(file) ?? '') + message).slice(-maxOutput))
  }

  function showOutput(file: string): void {
    const text = output.get(file)
    if (text) write(indent(`output of the file:\n${text.trimEnd()}`))
    output.delete(file)
  }

  /** Returns the number of failed tests. */
  function finish(file: string): number {
    const own = records.filter((record) => record.file === nameOf(file))
    const failed = own.filter(({ result }) => result !== 'passed').length
    const count = failed === 0 ? `${own.length}` : `${own.length - failed} of ${own.length}`
    const ms = durations.get(nameOf(file))
    write(`${failed === 0 ? '✔' : '✖'} ${nameOf(file)}  ${count}${ms === undefined ? '' : ` in ${Math.round(ms)} ms`}`)
    return failed
  }

  function requireTests(file: string): void {
    if (grep || records.some((record) => record.file === nameOf(file))) return
    records.push({ title: 'holds a test', file: nameOf(file), result: 'failed' })
    write(`  ✖ ${nameOf(file)} holds no test`)
  }
}

function nameOf(file: string | undefined): string {
  return relative(root, file ?? '')
}

function position(event: TestEvent): string {
  return `${nameOf(event.file)}:${event.line ?? 1}:${event.column ?? 1}`
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
