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
import { SessionFiling } from '../../src/store/sqlite/session-filing.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { TEST_WRITER_ENTRY } from './test-writer.ts'

const NOW = 1_700_000_000_000
const WHO = ['ann', 'bob', 'cyd', 'dan', 'eve'] as const
type Who = (typeof WHO)[number]

async function openMigrated(): Promise<DatabaseSync> {
  const { raw, db } = openForWriting(':memory:')
  await migrate(db, SQLITE_TYPES, NOW)
  return raw
}

function insertSession(raw: DatabaseSync, id: string, who: string): void {
  raw
    .prepare(`insert into api_sessions (id, token_digest, identity_id, authenticator_id, ip_address, config_types,
      last_activity_at, expires_at, ends_at, tags, created_at, updated_at) values (?, ?, ?, '', '', '[]', 1, 1, 1, '{}', 1, 1)`)
    .run(id, id, who)
}

const idsOf = (raw: DatabaseSync, query: string, who: string): string[] =>
  (raw.prepare(query).all(who) as { id: string }[]).map(({ id }) => id).sort()
const sessionsOf = (raw: DatabaseSync, who: string) =>
  idsOf(raw, 'select id from api_sessions where identity_id = ?', who)
const ownedBy = (raw: DatabaseSync, who: string) =>
  idsOf(raw, 'select session_id as id from session_owners where identity_id = ?', who)
const filedUnder = (raw: DatabaseSync, who: string) =>
  idsOf(raw, 'select session_id as id from filed_sessions where identity_id = ?', who)

const filedUntil = (raw: DatabaseSync): number =>
  (raw.prepare('select filed_until from session_filing').get() as { filed_until: number }).filed_until

function assertAllFound(raw: DatabaseSync): void {
  for (const who of WHO) {
    const sessions = sessionsOf(raw, who)
    assert.deepEqual(ownedBy(raw, who), sessions, `whoever asks for ${who} finds all, each once`)
    const filed = filedUnder(raw, who)
    assert.deepEqual(
      filed.filter((id) => !sessions.includes(id)),
      [],
      'nothing is filed that has ended',
    )
  }
}

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('start' as const), who: fc.constantFrom(...WHO) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const), at: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('endNewest' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('endAllOf' as const), who: fc.constantFrom(...WHO) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fileOf' as const), who: fc.constantFrom(...WHO) }) },
)
const commit = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  end: fc.constantFrom('kept', 'kept', 'kept', 'refused', 'failed', 'died'),
})

for (const isShared of [false, true]) {
  test(`sessions are found by their identity, filed or not, whatever is undone${isShared ? ', where others write too' : ''}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commit, { maxLength: 25 }), fc.constantFrom(5, 40), async (commits, roundSize) => {
        const raw = await openMigrated()
        const options = { isShared, roundSize }
        let filing = new SessionFiling(raw, options)
        let number = 0
        for (const { steps, end } of commits) {
          const filedBefore = filedUntil(raw)
          raw.exec('begin')
          for (const each of steps) {
            if (each.kind === 'start') {
              const id = `session-${number++}`
              insertSession(raw, id, each.who)
              filing.noteStarted(each.who)
            } else if (each.kind === 'end') raw.exec(`delete from api_sessions where id = 'session-${each.at}'`)
            else if (each.kind === 'endNewest')
              raw.exec('delete from api_sessions where seq = (select max(seq) from api_sessions)')
            else {
              filing.fileOf(each.who)
              assert.deepEqual(filedUnder(raw, each.who), sessionsOf(raw, each.who), 'all are filed from here on')
              if (each.kind === 'endAllOf') raw.exec(`delete from api_sessions where identity_id = '${each.who}'`)
            }
          }
          if (end !== 'refused') filing.fileSome()
          if (end === 'kept') {
            raw.exec('commit')
            filing.kept()
          } else {
            raw.exec('rollback')
            filing.undone()
          }
          assert.ok(filedUntil(raw) >= filedBefore, 'what is filed stays so')
          // Another process finds what this one left.
          if (end === 'died') filing = new SessionFiling(raw, options)
          assertAllFound(raw)
          if (isShared && end === 'kept' && steps.some(({ kind }) => kind === 'start'))
            for (const who of WHO) assert.deepEqual(filedUnder(raw, who), sessionsOf(raw, who))
        }
        // Whatever was undone, in the end all are filed and nothing is left to do.
        for (let left = number; filing.hasUnfiled; left -= 1) {
          assert.ok(left >= -2, 'filing never ends')
          filing.fileNext(1)
          filing.kept()
          assertAllFound(raw)
        }
        for (const who of WHO) assert.deepEqual(filedUnder(raw, who), sessionsOf(raw, who))
        raw.close()
      }),
      { numRuns: 120 },
    )
  })
}

test('few sessions wait for their round, and a round files all that there were when it began', async () => {
  const raw = await openMigrated()
  const filing = new SessionFiling(raw, { isShared: false, roundSize: 10 })
  const start = (who: Who, id: string) => {
    raw.exec('begin')
    insertSession(raw, id, who)
    filing.noteStarted(who)
    filing.fileSome()
    raw.exec('commit')
    filing.kept()
  }
  for (let number = 0; number < 9; number += 1) start(WHO[number % 3] ?? 'ann', `first-${number}`)
  assert.deepEqual(
    WHO.flatMap((who) => filedUnder(raw, who)),
    [],
  )
  assert.equal(filedUntil(raw), 0)
  start('dan', 'tenth')
  assert.deepEqual(
    filedUnder(raw, 'ann'),
    ['first-0', 'first-3'],
    'in the order of identities, two for each that is started',
  )
  assert.deepEqual(filedUnder(raw, 'dan'), [])
  assert.equal(filedUntil(raw), 0, 'not before the round has ended')
  for (let number = 0; number < 4; number += 1) start('eve', `later-${number}`)
  assert.deepEqual(filedUnder(raw, 'dan'), ['tenth'])
  assert.equal(filedUntil(raw), 10)
  assert.deepEqual(ownedBy(raw, 'eve'), ['later-0', 'later-1', 'later-2', 'later-3'])
})

test('an identity that is deleted takes its sessions along, filed or not', async () => {
  for (const isFiled of [true, false]) {
    const raw = await openMigrated()
    raw.exec(`pragma foreign_keys = off; insert into identities (id, name, type_id, auth_policy_id, is_admin, is_default_admin, permissions,
      app_data, hosting, env_info, sdk_info, tags, created_at, updated_at) values ('ann', 'ann', '', '', 0, 0, '', '', '', '', '', '', 1, 1)`)
    insertSession(raw, 'hers', 'ann')
    insertSession(raw, 'his', 'bob')
    const filing = new SessionFiling(raw, { isShared: false })
    if (isFiled) filing.fileOf('ann')
    raw.exec(`delete from identities where id = 'ann'`)
    assert.deepEqual(sessionsOf(raw, 'ann'), [])
    assert.deepEqual(filedUnder(raw, 'ann'), [])
    assert.deepEqual(sessionsOf(raw, 'bob'), ['his'])
  }
})

async function openStore(t: TestContext, more: { idleMs?: number } = {}): Promise<{ file: string; store: Store }> {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-filing-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'test.db')
  return { file, store: await openSqliteStore({ writer: TEST_WRITER_ENTRY, file, now: NOW, ...more }) }
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

const countFiled = async ({ db }: Store) => (await db.selectFrom('filed_sessions').selectAll().execute()).length

test('sessions that nobody filed are filed when the writer has nothing else to do', async (t) => {
  const { store } = await openStore(t, { idleMs: 50 })
  t.after(() => store.close())
  await startSessions(store, 3)
  const deadline = performance.now() + 20_000
  while ((await countFiled(store)) < 3) {
    assert.ok(performance.now() < deadline, 'they are never filed')
    await sleep(20)
  }
})

test('sessions that were not filed when the process ended are ended with their identity by the next', async (t) => {
  const { file, store } = await openStore(t)
  const identityId = await startSessions(store, 3)
  assert.equal(await countFiled(store), 0)
  await store.close()
  const next = await openSqliteStore({ writer: TEST_WRITER_ENTRY, file, now: NOW })
  t.after(() => next.close())
  assert.equal((await next.db.selectFrom('session_owners').selectAll().execute()).length, 3)
  await next.run(endSessionsOf, { identityId }, { actorId: 'system', now: NOW })
  assert.deepEqual(await next.db.selectFrom('api_sessions').select('id').execute(), [])
  assert.equal(await countFiled(next), 0)
})
