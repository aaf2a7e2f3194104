import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeFolder } from '../temporary-folder.fixture.ts'
import type { TestRecord } from './test-record.ts'

const use = `import { describe, test } from 'node:test'\n`

test('every test is reported with its result, and a suite is not a test', (t) => {
  const body = `test('one', () => {}); describe('suite', () => { test('two', () => { throw new Error('why') }) })`
  const { results, output } = runOn(t, body)
  assert.deepEqual(results, { one: 'passed', two: 'failed' })
  assert.match(output, /✖ two\n {4}.*planted\.test\.ts:2:\d+\n {4}Error: why/)
})

test('skipped and todo tests do not pass', (t) => {
  const body = `test('a', { skip: true }, () => {}); test('b', (t) => t.skip()); test.todo('c'); test('d', () => {})`
  assert.deepEqual(runOn(t, body).results, { a: 'skipped', b: 'skipped', c: 'skipped', d: 'passed' })
})

test('a file without tests fails, also when it has a suite', (t) => {
  assert.deepEqual(runOn(t, '').results, { 'holds a test': 'failed' })
  assert.deepEqual(runOn(t, `describe('hollow', () => {})`).results, { 'holds a test': 'failed' })
})

test('a file that ends badly fails although its tests passed, and its output is shown', (t) => {
  const ended = runOn(t, `test('one', () => {}); console.log('last words'); process.on('exit', () => process.exit(3))`)
  assert.deepEqual(ended.results, { one: 'passed', 'runs to its end': 'failed' })
  assert.match(ended.output, /last words/)
  assert.deepEqual(runOn(t, 'const x: = 1').results, { 'runs to its end': 'failed' })
})

test('a stray error fails the file, and is shown', (t) => {
  const stray = runOn(
    t,
    `test('one', async () => { Promise.reject(new Error('stray')); await new Promise((done) => setTimeout(done, 50)) })`,
  )
  assert.deepEqual(stray.results, { one: 'passed', 'runs to its end': 'failed' })
  assert.match(stray.output, /stray/)
})

/** In a process of its own: node's runner refuses to run inside a test. */
function runOn(t: TestContext, body: string): { results: Record<string, string>; output: string } {
  const runner = JSON.stringify(join(import.meta.dirname, 'run-files.ts'))
  const folder = makeFolder(t, {
    'planted.test.ts': use + body,
    'run.ts': `
      const { runFiles } = await import(${runner})
      const lines = []
      const write = (line) => lines.push(line)
      const files = [${JSON.stringify('planted.test.ts')}].map((file) => import.meta.dirname + '/' + file)
      const { records } = await runFiles({ files, concurrency: 1, write })
      console.log(JSON.stringify({ records, output: lines.join('\\n') }))`,
  })
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'run.ts')], { env, encoding: 'utf8' })
  assert.equal(stderr, '')
  const { records, output }: { records: TestRecord[]; output: string } = JSON.parse(stdout)
  return { results: Object.fromEntries(records.map(({ title, result }) => [title, result])), output }
}
