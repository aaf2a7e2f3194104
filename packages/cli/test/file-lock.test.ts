import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { withFileLock } from '../src/files/file-lock.ts'

function makePath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-lock-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'lock')
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

test('Q-25 work under one lock never overlaps, and the lock is removed afterwards', async (t) => {
  const path = makePath(t)
  let [inside, maxInside, done] = [0, 0, 0]
  const work = async () => {
    maxInside = Math.max(maxInside, ++inside)
    await pause()
    inside--
    done++
  }
  await Promise.all(Array.from({ length: 8 }, () => withFileLock(path, work)))
  assert.deepEqual([maxInside, done, existsSync(path)], [1, 8, false])
})

test('Q-25 a lock is released when the work fails', async (t) => {
  const path = makePath(t)
  await assert.rejects(
    withFileLock(path, () => Promise.reject(new Error('no'))),
    /no/,
  )
  assert.equal(await withFileLock(path, async () => 'next'), 'next')
})

test('without a lock the work runs only when onNoLock returns', async (t) => {
  const path = join(makePath(t), 'no folder', 'lock')
  const refused: unknown[] = []
  await assert.rejects(
    withFileLock(path, async () => 'done'),
    { code: 'ENOENT' },
  )
  assert.equal(
    await withFileLock(
      path,
      async () => 'done',
      (error) => refused.push(error),
    ),
    'done',
  )
  assert.equal((refused[0] as NodeJS.ErrnoException).code, 'ENOENT')
  const failing = () => Promise.reject(new Error('no'))
  await assert.rejects(
    withFileLock(path, failing, () => {}),
    /no/,
  )
})

test('Q-25 the lock of a killed process is taken over by one waiting caller', async (t) => {
  const path = makePath(t)
  const { pid } = spawnSync('true')
  writeFileSync(path, String(pid))
  let [inside, maxInside] = [0, 0]
  await Promise.all(
    Array.from({ length: 6 }, () =>
      withFileLock(path, async () => {
        maxInside = Math.max(maxInside, ++inside)
        await pause()
        inside--
      }),
    ),
  )
  assert.deepEqual([maxInside, existsSync(path), existsSync(`${path}.clearing`)], [1, false, false])
})
