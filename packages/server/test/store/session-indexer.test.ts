import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@countersign/core'
import fc from 'fast-check'
import { endSessionsOf } from '../../src/operations/api-session/end-session.ts'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { migrate } from '../../src/store/migrations/migrate.ts'
import { SQLITE_TYPES } from '../../src/store/migrations/migration.ts'
import { openForWriting } from '../../src/store/sqlite/open-database.ts'
import { SessionIndexer } from '../../src/store/sqlite/session-indexer.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { testWriterEntry } from './test-writer.ts'

const NOW = 1_700_000_000_000
const NAMES = ['ann', 'bob', 'cyd', 'dan', 'eve'] as const
type Name = (typeof NAMES)[number]

async function openMigrated(): Promise<DatabaseSync> {
  const { raw, db } = openForWriting(':memory:')
  await migrate(db, SQLITE_TYPES, NOW)
  return raw
}

function insertSession(raw: DatabaseSync, id: string, name: string): void {
  raw
    .prepare(`insert into api_sessions (id, token_digest, identity_id, authenticator_id, ip_address, config_types,
      last_activity_at, expires_at, ends_at, tags, created_at, updated_at) values (?, ?, ?, '', '', '[]', 1, 1, 1, '{}', 1, 1)`)
    .run(id, id, name)
}

const idsOf = (raw: DatabaseSync, query: string, name: string): string[] =>
  (raw.prepare(query).all(name) as { id: string }[]).map(({ id }) => id).sort()
const sessionsOf = (raw: DatabaseSync, name: string) =>
  idsOf(raw, 'select id from api_sessions where identity_id = ?', name)
const ownedBy = (raw: DatabaseSync, name: string) =>
  idsOf(raw, 'select session_id as id from session_owners where identity_id = ?', name)
const indexedFor = (raw: DatabaseSync, name: string) =>
  idsOf(raw, 'select session_id as id from filed_sessions where identity_id = ?', name)

const indexedUntil = (raw: DatabaseSync): number =>
  (raw.prepare('select filed_until from session_filing').get() as { filed_until: number }).filed_until

function assertAllFound(raw: DatabaseSync): void {
  for (const name of NAMES) {
    const sessions = sessionsOf(raw, name)
    assert.deepEqual(ownedBy(raw, name), sessions, `all sessions of ${name} are found, each once`)
    const indexed = indexedFor(raw, name)
    assert.deepEqual(
      indexed.filter((id) => !sessions.includes(id)),
      [],
      'no ended session is indexed',
    )
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('start' as const), name: fc.constantFrom(...NAMES) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), at: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('endNewest' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('endAllOf' as const), name: fc.constantFrom(...NAMES) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('index' as const), name: fc.constantFrom(...NAMES) }) },
)
const commit = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  end: fc.constantFrom('kept', 'kept', 'kept', 'refused', 'failed', 'died'),
})

for (const isShared of [false, true]) {
  test(`sessions are found by their identity, indexed or not, whatever is rolled back${isShared ? ', with other writers' : ''}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commit, { maxLength: 25 }), fc.constantFrom(5, 40), async (commits, batchSize) => {
        const raw = await openMigrated()
        const options = { isShared, batchSize }
        let indexer = new SessionIndexer(raw, options)
        let number = 0
        for (const { steps, end } of commits) {
          const indexedBefore = indexedUntil(raw)
          raw.exec('begin')
          for (const each of steps) {
            if (each.kind === 'start') {
              const id = `session-${number++}`
              insertSession(raw, id, each.name)
              indexer.noteStarted(each.name)
            } else if (each.kind === 'end') raw.exec(`delete from api_sessions where id = 'session-${each.at}'`)
            else if (each.kind === 'endNewest')
              raw.exec('delete from api_sessions where seq = (select max(seq) from api_sessions)')
            else {
              indexer.indexIdentity(each.name)
              assert.deepEqual(indexedFor(raw, each.name), sessionsOf(raw, each.name), 'all are indexed from here on')
              if (each.kind === 'endAllOf') raw.exec(`delete from api_sessions where identity_id = '${each.name}'`)
            }
          }
          if (end !== 'refused') indexer.beforeCommit()
          if (end === 'kept') {
            raw.exec('commit')
            indexer.afterCommit()
          } else {
            raw.exec('rollback')
            indexer.afterRollback()
          }
          assert.ok(indexedUntil(raw) >= indexedBefore, 'indexed sessions stay indexed')
          // Another process finds what this one left.
          if (end === 'died') indexer = new SessionIndexer(raw, options)
          assertAllFound(raw)
          if (isShared && end === 'kept' && steps.some(({ kind }) => kind === 'start'))
            for (const name of NAMES) assert.deepEqual(indexedFor(raw, name), sessionsOf(raw, name))
        }
        // Whatever was rolled back, in the end all sessions are indexed.
        for (let left = number; indexer.hasUnindexed; left -= 1) {
          assert.ok(left >= -2, 'indexing never ends')
          indexer.indexNext(1)
          indexer.afterCommit()
          assertAllFound(raw)
        }
        for (const name of NAMES) assert.deepEqual(indexedFor(raw, name), sessionsOf(raw, name))
        raw.close()
      }),
      { numRuns: 120 },
    )
  })
}

test('few sessions wait for their batch, and a batch indexes all sessions from before its start', async () => {
  const raw = await openMigrated()
  const indexer = new SessionIndexer(raw, { isShared: false, batchSize: 10 })
  const start = (name: Name, id: string) => {
    raw.exec('begin')
    insertSession(raw, id, name)
    indexer.noteStarted(name)
    indexer.beforeCommit()
    raw.exec('commit')
    indexer.afterCommit()
  }
  for (let number = 0; number < 9; number += 1) start(NAMES[number % 3] ?? 'ann', `first-${number}`)
  assert.deepEqual(
    NAMES.flatMap((name) => indexedFor(raw, name)),
    [],
  )
  assert.equal(indexedUntil(raw), 0)
  start('dan', 'tenth')
  assert.deepEqual(
    indexedFor(raw, 'ann'),
    ['first-0', 'first-3'],
    'in the order of identities, two for each new session',
  )
  assert.deepEqual(indexedFor(raw, 'dan'), [])
  assert.equal(indexedUntil(raw), 0, 'only after the batch has ended')
  for (let number = 0; number < 4; number += 1) start('eve', `later-${number}`)
  assert.deepEqual(indexedFor(raw, 'dan'), ['tenth'])
  assert.equal(indexedUntil(raw), 10)
  assert.deepEqual(ownedBy(raw, 'eve'), ['later-0', 'later-1', 'later-2', 'later-3'])
})

test('deleting an identity deletes its sessions, indexed or not', async () => {
  for (const isIndexed of [true, false]) {
    const raw = await openMigrated()
    raw.exec(`pragma foreign_keys = off; insert into identities (id, name, type_id, auth_policy_id, is_admin, is_default_admin, permissions,
      app_data, hosting, env_info, sdk_info, tags, created_at, updated_at) values ('ann', 'ann', '', '', 0, 0, '', '', '', '', '', '', 1, 1)`)
    insertSession(raw, 'of-ann', 'ann')
    insertSession(raw, 'of-bob', 'bob')
    const indexer = new SessionIndexer(raw, { isShared: false })
    if (isIndexed) indexer.indexIdentity('ann')
    raw.exec(`delete from identities where id = 'ann'`)
    assert.deepEqual(sessionsOf(raw, 'ann'), [])
    assert.deepEqual(indexedFor(raw, 'ann'), [])
    assert.deepEqual(sessionsOf(raw, 'bob'), ['of-bob'])
  }
})

async function openStore(t: TestContext, more: { idleMs?: number } = {}): Promise<{ file: string; store: Store }> {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-indexer-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'test.db')
  return { file, store: await openSqliteStore({ writer: testWriterEntry(), file, now: NOW, ...more }) }
}

async function startSessions(store: Store, count: number): Promise<string> {
  const meta = { actorId: 'system', now: NOW }
  const identityId = newId()
  const admin = { identityId, authenticatorId: newId(), username: 'admin', passwordDigest: 'digest' }
  await store.run(createFirstAdmin, admin, meta)
  for (let number = 0; number < count; number += 1) {
    const session = {
      id: newId(),
      tokenDigest: newId(),
      identityId,
      method: 'password' as const,
      authenticatorId: 'a',
      ipAddress: '',
      configTypes: [],
    }
    const life = {
      expiresAt: NOW + 1e6,
      endsAt: NOW + 1e6,
      maxPerIdentity: 100,
      envInfo: undefined,
      sdkInfo: undefined,
    }
    await store.run(createApiSession, { ...session, ...life }, meta)
  }
  return identityId
}

const countIndexed = async ({ db }: Store) => (await db.selectFrom('filed_sessions').selectAll().execute()).length

test('unindexed sessions are indexed when the writer is idle', async (t) => {
  const { store } = await openStore(t, { idleMs: 50 })
  t.after(() => store.close())
  await startSessions(store, 3)
  const deadline = performance.now() + 20_000
  while ((await countIndexed(store)) < 3) {
    assert.ok(performance.now() < deadline, 'they are never indexed')
    await sleep(20)
  }
})

test('sessions that were not indexed when the process ended are ended with their identity by the next process', async (t) => {
  const { file, store } = await openStore(t)
  const identityId = await startSessions(store, 3)
  assert.equal(await countIndexed(store), 0)
  await store.close()
  const next = await openSqliteStore({ writer: testWriterEntry(), file, now: NOW })
  t.after(() => next.close())
  assert.equal((await next.db.selectFrom('session_owners').selectAll().execute()).length, 3)
  await next.run(endSessionsOf, { identityId }, { actorId: 'system', now: NOW })
  assert.deepEqual(await next.db.selectFrom('api_sessions').select('id').execute(), [])
  assert.equal(await countIndexed(next), 0)
})
