import assert from 'node:assert/strict'
import {
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
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { describeSystemError } from '../src/describe-system-error.ts'
import { formatBytes } from '../src/embedded-data.ts'
import { runCaptured } from './captured-run.ts'

function createStage(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'countersign-backup-'))
  t.after(() => rmSync(root, { recursive: true }))
  const dataDir = join(root, 'data')
  mkdirSync(dataDir)
  writeFileSync(join(dataDir, 'something'), 'precious')
  return { root, dataDir, file: join(root, 'copy') }
}

test('backup keeps a file that exists, and restore a directory that is not empty', async (t) => {
  const { dataDir, file } = createStage(t)
  writeFileSync(file, 'old')
  const backup = await runCaptured(['backup', file, '--data-dir', dataDir])
  assert.deepEqual([backup.exitCode, backup.stdout], [1, ''])
  assert.match(backup.stderr, /^error: .*copy exists already\nhint: .*--force\n$/)
  const restore = await runCaptured(['restore', file, '--data-dir', dataDir])
  assert.deepEqual([restore.exitCode, restore.stdout], [1, ''])
  assert.match(restore.stderr, /^error: the data directory .* is not empty\nhint: .*--force\n$/)
  assert.equal(readFileSync(file, 'utf8'), 'old')
  assert.deepEqual(readdirSync(dataDir), ['something'])
})

test('Q-20 backup writes through no file that another user has prepared, and leaves none behind', async (t) => {
  const { root, dataDir, file } = createStage(t)
  const elsewhere = join(root, 'elsewhere')
  writeFileSync(elsewhere, 'of another user')
  symlinkSync(elsewhere, `${file}.partial`)
  const before = readdirSync(root)
  const failed = await runCaptured(['backup', file, '--data-dir', dataDir])
  assert.equal(failed.exitCode, 1, 'there is no database')
  assert.deepEqual(readdirSync(root), before)

  const database = new DatabaseSync(join(dataDir, 'countersign.db'))
  database.exec('create table any (value text)')
  database.close()
  const done = await runCaptured(['backup', file, '--data-dir', dataDir])
  assert.equal(done.exitCode, 0, done.stderr)
  assert.deepEqual(readdirSync(root), [...before, 'copy'].sort())
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(readFileSync(elsewhere, 'utf8'), 'of another user')
})

test('backup reports a missing data directory and a missing target directory', async (t) => {
  const { root, dataDir, file } = createStage(t)
  const none = await runCaptured(['backup', file, '--data-dir', join(root, 'none')])
  assert.match(none.stderr, /^error: there is no data in .*none\nhint: .*--data-dir\n$/)
  const nowhere = await runCaptured(['backup', join(root, 'no', 'copy'), '--data-dir', dataDir])
  assert.match(nowhere.stderr, /^error: the directory .*no does not exist\nhint: create it, or name another file\n$/)
  assert.deepEqual([none.exitCode, nowhere.exitCode], [1, 2])
})

test('backup and restore refuse a PostgreSQL database and name its own tools', async (t) => {
  const { dataDir, file } = createStage(t)
  for (const command of ['backup', 'restore']) {
    const words = [command, file, '--data-dir', dataDir, '--database', 'postgres://u:hunter2@h/d']
    const { exitCode, stderr } = await runCaptured(words)
    assert.equal(exitCode, 1)
    assert.match(stderr, /^error: the data is in PostgreSQL.*\nhint: use pg_dump/)
    assert.ok(!stderr.includes('hunter2'))
  }
})

test('sizes are shown in a readable unit', () => {
  assert.deepEqual([0, 1, 1023, 1024, 1536, 1048576, 5 * 1024 ** 5].map(formatBytes), [
    '0 bytes',
    '1 bytes',
    '1023 bytes',
    '1.0 KiB',
    '1.5 KiB',
    '1.0 MiB',
    '5120.0 TiB',
  ])
})

test('errors of the operating system are described, other errors are not', () => {
  const refused = Object.assign(new Error('EISDIR: …'), { code: 'EISDIR', path: 'a', dest: 'b' })
  assert.equal(describeSystemError(refused), 'cannot use b: it is a directory')
  assert.equal(
    describeSystemError(Object.assign(new Error(), { code: 'ENOSPC', path: 'a' })),
    'cannot use a: the disk is full',
  )
  assert.equal(describeSystemError(Object.assign(new Error(), { code: 'ERR_ASSERTION', path: 'a' })), undefined)
  assert.equal(describeSystemError(new Error('x')), undefined)
})
