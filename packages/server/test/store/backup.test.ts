import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { pruneChangeLog } from '../../src/operations/upkeep/prune-change-log.ts'
import { StartupError } from '../../src/platform/startup-error.ts'
import { backupDataDir, restoreDataDir } from '../../src/process/backup.ts'
import { lockDataDir } from '../../src/process/data-dir.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { startThreadWriter } from './test-writer.ts'

const meta = { actorId: 'system', now: 1_700_000_000_000 }

function newDir(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-backup-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function withStore<T>(dataDir: string, use: (store: Awaited<ReturnType<typeof openSqliteStore>>) => Promise<T>) {
  const store = await openSqliteStore({
    startWriter: startThreadWriter,
    file: join(dataDir, 'countersign.db'),
    now: meta.now,
  })
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

async function fill(dataDir: string): Promise<string> {
  mkdirSync(join(dataDir, 'keys'), { mode: 0o700 })
  writeFileSync(join(dataDir, 'keys', 'root.key'), 'the key', { mode: 0o600 })
  const identityId = newId()
  await withStore(dataDir, async (store) => {
    const admin = { identityId, authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
    await store.run(createFirstAdmin, admin, meta)
    const basis = { method: 'password', authenticatorId: 'a' } as const
    const session = { id: newId(), tokenDigest: 'd', identityId, ...basis, ipAddress: '', configTypes: [] }
    const life = { expiresAt: meta.now + 1e6, endsAt: meta.now + 1e6, maxPerIdentity: 10 }
    await store.run(createApiSession, { ...session, ...life, envInfo: undefined, sdkInfo: undefined }, meta)
  })
  return identityId
}

test('a backup during writes contains every write acknowledged before it, and restores with its keys', async (t) => {
  const dir = newDir(t)
  const dataDir = join(dir, 'data')
  mkdirSync(dataDir)
  const identityId = await fill(dataDir)
  const file = join(dir, 'monday.backup')
  await withStore(dataDir, async (store) => {
    await store.run(pruneChangeLog, {}, meta)
    await Promise.all([backupDataDir(dataDir, file), store.run(pruneChangeLog, {}, meta)])
  })
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const restored = join(dir, 'restored')
  await restoreDataDir(file, restored)
  assert.equal(readFileSync(join(restored, 'keys', 'root.key'), 'utf8'), 'the key')
  assert.equal(statSync(join(restored, 'keys', 'root.key')).mode & 0o777, 0o600)
  assert.equal(statSync(join(restored, 'keys')).mode & 0o777, 0o700)
  await withStore(restored, async (store) => {
    const [identity] = await store.db.selectFrom('identities').select('id').execute()
    assert.equal(identity?.id, identityId)
  })
})

test('S-18 a restored backup contains no sessions and no access tokens, so that revoked ones cannot come back', async (t) => {
  const dir = newDir(t)
  const dataDir = join(dir, 'data')
  mkdirSync(dataDir)
  await fill(dataDir)
  const raw = new DatabaseSync(join(dataDir, 'countersign.db'), { enableForeignKeyConstraints: false })
  raw.exec("insert into api_account_tokens values ('digest', 'account', 1, 1, 1, 1)")
  raw.close()
  await withStore(dataDir, async (store) => {
    assert.equal((await store.db.selectFrom('api_sessions').selectAll().execute()).length, 1)
    assert.equal((await store.db.selectFrom('api_account_tokens').selectAll().execute()).length, 1)
  })
  await backupDataDir(dataDir, join(dir, 'file'))
  await restoreDataDir(join(dir, 'file'), dataDir)
  await withStore(dataDir, async (store) => {
    assert.equal((await store.db.selectFrom('api_sessions').selectAll().execute()).length, 0)
    assert.equal((await store.db.selectFrom('api_account_tokens').selectAll().execute()).length, 0)
    assert.equal((await store.db.selectFrom('identities').selectAll().execute()).length, 1)
  })
})

test('a file that is not a backup is refused and nothing is changed', async (t) => {
  const dir = newDir(t)
  const dataDir = join(dir, 'data')
  mkdirSync(dataDir)
  await fill(dataDir)
  const bad = join(dir, 'bad')
  writeFileSync(bad, 'not a database'.repeat(1000))
  const before = readFileSync(join(dataDir, 'countersign.db'))
  await assert.rejects(restoreDataDir(bad, dataDir), StartupError)
  await assert.rejects(restoreDataDir(join(dataDir, 'countersign.db'), dataDir), StartupError)
  assert.deepEqual(readFileSync(join(dataDir, 'countersign.db')), before)
  assert.equal(readFileSync(join(dataDir, 'keys', 'root.key'), 'utf8'), 'the key')
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.includes('restoring')),
    [],
  )
})

test('a data directory in use can be neither restored into nor locked again; a released one can', async (t) => {
  const dir = newDir(t)
  const dataDir = join(dir, 'data')
  mkdirSync(dataDir)
  await fill(dataDir)
  await backupDataDir(dataDir, join(dir, 'file'))
  const lock = lockDataDir(dataDir)
  await assert.rejects(restoreDataDir(join(dir, 'file'), dataDir), (error) => {
    return error instanceof StartupError && error.message.includes('in use')
  })
  assert.throws(() => lockDataDir(dataDir), StartupError)
  lock.release()
  await restoreDataDir(join(dir, 'file'), dataDir)
})

test('a data directory that cannot be created is refused with an explanation', (t) => {
  const dir = newDir(t)
  writeFileSync(join(dir, 'file'), '')
  assert.throws(
    () => lockDataDir(join(dir, 'file', 'data')),
    (error) => {
      return error instanceof StartupError && error.message.includes('part of the path is a file')
    },
  )
  lockDataDir(join(dir, 'directory', 'data')).release()
})

test('a copy that cannot be written is reported with what to check', async (t) => {
  const dir = newDir(t)
  const dataDir = join(dir, 'data')
  mkdirSync(dataDir)
  await fill(dataDir)
  await assert.rejects(backupDataDir(dataDir, dir), (error: unknown) => {
    assert.ok(error instanceof StartupError)
    assert.match(error.message, /^cannot copy .*: unable to open database file$/)
    assert.match(error.hint ?? '', /disk/)
    return true
  })
  await backupDataDir(dataDir, join(dir, 'good'))
})
