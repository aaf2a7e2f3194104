import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { newId } from '@countersign/core'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { pruneChangeLog } from '../../src/operations/upkeep/prune-change-log.ts'
import { StartupError } from '../../src/platform/startup-error.ts'
import { openStore } from '../../src/store/open-store.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { startThreadWriter } from './test-writer.ts'

const meta = { actorId: 'system', now: 1_700_000_000_000 }

function newFile(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-sqlite-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return join(dir, 'test.db')
}

const firstAdmin = () => ({
  identityId: newId(),
  authenticatorId: newId(),
  username: 'admin',
  passwordDigest: 'digest',
})

/** The longest time that `work` blocked the event loop. */
async function longestLagMs(work: () => Promise<unknown>): Promise<number> {
  await sleep(50)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  await work()
  delay.disable()
  return delay.max / 1e6
}

/** Holds the database's write lock from another thread, as another program would. */
async function holdWriteLock(file: string, ms: number): Promise<void> {
  const source = `
    const { DatabaseSync } = require('node:sqlite')
    const { workerData, parentPort } = require('node:worker_threads')
    const database = new DatabaseSync(workerData.file)
    database.exec('begin immediate')
    parentPort.postMessage('locked')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.ms)
    database.exec('commit')
    database.close()`
  const worker = new Worker(source, { eval: true, workerData: { file, ms } })
  await new Promise((resolve) => worker.once('message', resolve))
}

test('a slow commit and a foreign write lock delay the writer, not the event loop or reads', async (t) => {
  const file = newFile(t)
  const store = await openSqliteStore({ startWriter: startThreadWriter, file, now: meta.now, artificialCommitMs: 50 })
  t.after(() => store.close())
  await store.run(createFirstAdmin, firstAdmin(), meta)
  let reads = 0
  const lag = await longestLagMs(async () => {
    await holdWriteLock(file, 1000)
    const started = performance.now()
    const write = store.run(pruneChangeLog, {}, meta)
    let isDone = false
    void write.then(() => {
      isDone = true
    })
    while (!isDone) {
      await store.db.selectFrom('identities').selectAll().execute()
      reads++
      await sleep(5)
    }
    await write
    assert.ok(performance.now() - started > 500, 'the write waited for the foreign lock')
  })
  assert.ok(reads > 20, `reads continued: ${reads}`)
  assert.ok(lag < 500, `the event loop was blocked for ${lag} ms while the lock was held for 1000`)
})

test('an acknowledged write is in the file: another connection reads it while the store is open', async (t) => {
  const file = newFile(t)
  const store = await openSqliteStore({ startWriter: startThreadWriter, file, now: meta.now })
  t.after(() => store.close())
  await store.run(createFirstAdmin, firstAdmin(), meta)
  const other = new DatabaseSync(file, { readOnly: true })
  t.after(() => other.close())
  assert.deepEqual({ ...other.prepare('select count(*) as n from identities').get() }, { n: 1 })
})

test('R-13 the database file is readable by its owner only', async (t) => {
  const file = newFile(t)
  const store = await openSqliteStore({ startWriter: startThreadWriter, file, now: meta.now })
  t.after(() => store.close())
  await store.run(createFirstAdmin, firstAdmin(), meta)
  for (const path of [file, `${file}-wal`]) assert.equal(statSync(path).mode & 0o777, 0o600, path)
})

const open = (file: string) =>
  openStore({
    startWriter: startThreadWriter,
    database: 'sqlite',
    sqliteFile: file,
    nodeId: 'n',
    now: meta.now,
    onWarning: () => {},
    onFatal: () => {},
  })

test('a database written by a newer release is refused and not changed; the current version opens', async (t) => {
  const file = newFile(t)
  await (await open(file)).close()
  await (await open(file)).close()
  const database = new DatabaseSync(file)
  database.exec("insert into schema_migrations (version, name, applied_at) values (999, 'future', 0)")
  database.close()
  const before = readFileSync(file)
  await assert.rejects(open(file), (error) => error instanceof StartupError && error.message.includes('999'))
  assert.deepEqual(readFileSync(file), before)
})

test('a damaged file is refused with its name and not changed', async (t) => {
  const file = newFile(t)
  writeFileSync(file, 'this is not a database'.repeat(100))
  const before = readFileSync(file)
  await assert.rejects(open(file), (error) => error instanceof StartupError && error.message.includes(file))
  assert.deepEqual(readFileSync(file), before)
})
