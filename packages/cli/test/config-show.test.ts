import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCaptured } from './captured-run.ts'

test('prints each setting with its origin', async () => {
  const { exitCode, stdout, stderr } = await runCaptured(['config', 'show', '--port', '8443'], {
    env: { COUNTERSIGN_LOG_LEVEL: 'debug' },
  })
  assert.deepEqual([exitCode, stderr], [0, ''])
  assert.match(stdout, /^port = 8443 +\(flag\)$/m)
  assert.match(stdout, /^logLevel = debug +\(environment\)$/m)
  assert.match(stdout, /^host = 127\.0\.0\.1 +\(default\)$/m)
})

test('hides secrets', async () => {
  const env = { COUNTERSIGN_ADMIN_PASSWORD: 'hunter2', COUNTERSIGN_DATABASE: 'postgres://u:hunter2@h/d' }
  for (const flags of [[], ['--json']]) {
    const { stdout } = await runCaptured(['config', 'show', ...flags], { env })
    assert.ok(stdout.includes('(hidden)') && stdout.includes('postgres://u:***@h/d'))
    assert.ok(!stdout.includes('hunter2'))
  }
})

test('reports each error of a file on its own line, then one hint', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'countersign-cli-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'c.yaml')
  writeFileSync(file, 'port: abc\nprot: 1\nlogLevel: loud\n')
  const { exitCode, stderr } = await runCaptured(['config', 'show', '--config', file])
  const lines = stderr.trimEnd().split('\n')
  assert.equal(exitCode, 2)
  assert.equal(lines.filter((line) => line.startsWith(`error: file ${file}: `)).length, 3)
  assert.deepEqual([lines.length, lines.at(-1)?.startsWith('hint: ')], [4, true])
  writeFileSync(file, 'port: 1\nlogLevel: warn\n')
  assert.equal((await runCaptured(['config', 'show', '--config', file])).exitCode, 0)
})
