import { relative } from 'node:path'
import { run } from 'node:test'
import { inspect } from 'node:util'
import { root } from '../paths.ts'
import type { TestRecord } from './test-record.ts'

export type RunOptions = { files: string[]; concurrency: number; grep?: string; write: (line: string) => void }

/** The members of node:test's events that are read here. */
type TestEvent = {
  name: string
  file?: string
  line?: number
  column?: number
  skip?: string | boolean
  todo?: string | boolean
  details?: { type?: string; duration_ms?: number; error?: Error & { failureType?: string } }
}

const fileTimeoutMs = 5 * 60_000
const keptOutput = 20_000
const keptWhy = 2_000

/**
 * Runs test files, each in a process of its own, and tells what became of every test.
 * Writes one line for each file and each failure in full. A file without tests counts as a failed test.
 */
export async function runFiles({ files, concurrency, grep, write }: RunOptions): Promise<TestRecord[]> {
  const records: TestRecord[] = []
  const output = new Map<string, string>()
  const add = (event: TestEvent, result: TestRecord['result'], why?: string) =>
    records.push({ title: event.name, file: nameOf(event.file), result, ...(why && { why: why.slice(0, keptWhy) }) })
  const keep = (event: { file: string; message: string }) =>
    output.set(event.file, ((output.get(event.file) ?? '') + event.message).slice(-keptOutput))
  const finish = (file: string, took: string) => {
    const mine = records.filter((record) => record.file === nameOf(file))
    const bad = mine.filter(({ result }) => result !== 'passed').length
    const count = bad === 0 ? `${mine.length}` : `${mine.length - bad} of ${mine.length}`
    write(`${bad === 0 ? '✔' : '✖'} ${nameOf(file)}  ${count}${took}`)
    if (bad > 0) show(file)
    unfinished.delete(file)
  }
  const show = (file: string) => {
    const said = output.get(file)
    if (said) write(indent(`output of the file:\n${said.trimEnd()}`))
    output.delete(file)
  }
  const unfinished = new Set(files)

  const stream = run({
    files,
    concurrency,
    isolation: 'process',
    timeout: fileTimeoutMs,
    ...(grep ? { testNamePatterns: [grep] } : {}),
  })
  stream.on('test:stdout', keep)
  stream.on('test:stderr', keep)
  stream.on('test:pass', (event: TestEvent) => {
    // node reports a file as a test of its own when nothing inside it reported.
    if (event.name === event.file) return
    const left = event.skip ?? event.todo
    if (left !== undefined && left !== false) {
      add(event, 'skipped')
      write(`  ✖ skipped or todo, which does not pass: ${event.name} (${place(event)})`)
    } else if (event.details?.type !== 'suite') add(event, 'passed')
  })
  stream.on('test:fail', (event: TestEvent) => {
    const error = event.details?.error
    if (event.details?.type === 'suite' && error?.failureType === 'subtestsFailed') return
    const name = event.name === event.file ? 'runs to its end' : event.name
    const why = indent(inspect(error?.cause ?? error))
    add({ ...event, name }, 'failed', why)
    if (error?.failureType === 'subtestsFailed') return
    write(`\n  ✖ ${name}\n    ${place(event)}\n${why}\n`)
    // This may come after the file's own summary.
    if (event.name === event.file) show(event.file)
  })
  stream.on('test:summary', ({ file, duration_ms }) => {
    if (file === undefined) return
    requireTests(file)
    finish(file, ` in ${Math.round(duration_ms)} ms`)
  })
  for await (const _ of stream);
  // A file that ended badly, or without a word, has no summary.
  for (const file of unfinished) {
    requireTests(file)
    finish(file, '')
  }
  return records

  function requireTests(file: string): void {
    if (grep || records.some((record) => record.file === nameOf(file))) return
    records.push({ title: 'holds a test', file: nameOf(file), result: 'failed' })
    write(`  ✖ ${nameOf(file)} holds no test`)
  }
}

function nameOf(file: string | undefined): string {
  return relative(root, file ?? '')
}

function place(event: TestEvent): string {
  return `${nameOf(event.file)}:${event.line ?? 1}:${event.column ?? 1}`
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ')
}
