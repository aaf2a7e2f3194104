import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeTestAuthority } from '@countersign/testkit'
import { runCaptured } from './captured-run.ts'

test('Q-26 trust --pem says where the certificate comes from, and takes that of the current folder only if it is named', async (t) => {
  const [home, before] = [mkdtempSync(join(tmpdir(), "countersign's trust-")), process.cwd()]
  t.after(() => {
    process.chdir(before)
    rmSync(home, { recursive: true })
  })
  process.chdir(home)
  mkdirSync(join('.countersign', 'keys'), { recursive: true })
  const file = join('.countersign', 'keys', 'ca.pem')
  writeFileSync(file, makeTestAuthority().pem)
  const trust = (...words: string[]) => runCaptured(['trust', ...words], { env: { HOME: home } })

  const found = await trust('--pem')
  assert.deepEqual([found.exitCode, found.stdout], [2, ''])
  assert.match(found.stderr, /of the current folder\nhint: .*--data-dir \.countersign\n/)
  for (const words of [
    ['--data-dir', '.countersign'],
    ['--ca-file', file],
  ]) {
    const named = await trust('--pem', ...words)
    assert.equal(named.exitCode, 0, named.stderr)
    assert.match(named.stdout, /^-----BEGIN CERTIFICATE-----/)
    assert.ok(named.stderr.startsWith(`CA certificate of ${file}, SHA-256 `), named.stderr)
    const shown = await trust(...words)
    assert.ok(shown.stdout.includes(`countersign trust --pem ${words.join(' ')} > ca.pem`), shown.stdout)
  }
  const shown = await trust()
  assert.ok(shown.stdout.includes('countersign trust --pem --data-dir .countersign > ca.pem'), shown.stdout)
  const quoted = await trust('--data-dir', join(home, '.countersign'))
  assert.match(quoted.stdout, /--data-dir '[^']+'\\''s trust-/)
})
