import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { CliError } from '../src/cli-error.ts'
import {
  ensurePrivateFolder,
  readPrivateFile,
  writePrivateFile,
  writePrivateFileIn,
} from '../src/files/private-file.ts'

function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-private-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const modeOf = (path: string) => statSync(path).mode & 0o777

for (const umask of [0o000, 0o022, 0o077, 0o777]) {
  test(`Q-20 under umask ${umask.toString(8).padStart(3, '0')} a secret is in a file of mode 600 in a folder of mode 700`, (t) => {
    const folder = makeFolder(t)
    const path = join(folder, 'inner', 'secret.json')
    if (umask === 0o777) ensurePrivateFolder(join(folder, 'inner'))
    const before = process.umask(umask)
    try {
      writePrivateFileIn(path, 'first')
      writePrivateFileIn(path, 'second')
    } finally {
      process.umask(before)
    }
    assert.deepEqual([modeOf(path), modeOf(join(folder, 'inner'))], [0o600, 0o700])
    assert.equal(readPrivateFile(path), 'second')
    assert.deepEqual(readdirSync(join(folder, 'inner')), ['secret.json'], 'nothing half written is left')
  })
}

test('Q-20 a file that others can read is neither read nor written, one of mode 600 is', (t) => {
  const path = join(makeFolder(t), 'secret')
  writeFileSync(path, 'kept', { mode: 0o600 })
  for (const mode of [0o644, 0o640, 0o604, 0o622]) {
    chmodSync(path, mode)
    assert.throws(() => writePrivateFile(path, 'new'), CliError)
    assert.throws(() => readPrivateFile(path), CliError)
  }
  chmodSync(path, 0o600)
  assert.equal(readPrivateFile(path), 'kept')
  writePrivateFile(path, 'new')
  assert.equal(readPrivateFile(path), 'new')
})

test('Q-20 a symbolic link is followed neither for reading nor for writing', (t) => {
  const folder = makeFolder(t)
  const [target, link] = [join(folder, 'target'), join(folder, 'link')]
  writeFileSync(target, 'kept', { mode: 0o600 })
  symlinkSync(target, link)
  assert.throws(() => writePrivateFile(link, 'new'), CliError)
  assert.throws(() => readPrivateFile(link), CliError)
  assert.equal(readFileSync(target, 'utf8'), 'kept')
  assert.equal(readPrivateFile(target), 'kept')
})

test('Q-20 a folder that lets others in, or is a link, holds no secrets; one of mode 700 does', (t) => {
  const folder = makeFolder(t)
  const [open, link] = [join(folder, 'open'), join(folder, 'link')]
  mkdirSync(open)
  symlinkSync(open, link)
  for (const mode of [0o777, 0o755, 0o710]) {
    chmodSync(open, mode)
    assert.throws(() => writePrivateFileIn(join(open, 'secret'), 'new'), CliError)
  }
  chmodSync(open, 0o700)
  assert.throws(() => writePrivateFileIn(join(link, 'secret'), 'new'), CliError)
  writePrivateFileIn(join(open, 'secret'), 'new')
  assert.equal(readPrivateFile(join(open, 'secret')), 'new')
})
