import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import pg from 'pg'
import { endSession } from '../../src/operations/api-session/end-session.ts'
import { WRITER_ENTRY } from '../../src/operations/writer-entry.ts'
import { start } from '../../src/store/migrations/0001-start.ts'
import { signerKeySets } from '../../src/store/migrations/0002-signer-key-sets.ts'
import { authDecisions } from '../../src/store/migrations/0003-auth-decisions.ts'
import { MIGRATIONS } from '../../src/store/migrations/migrate.ts'
import { POSTGRES_TYPES, SQLITE_TYPES } from '../../src/store/migrations/migration.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { findIdentity } from '../../src/store/reads/identity-reads.ts'
import { findSigner } from '../../src/store/reads/signer-reads.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { DATABASES, getPostgres, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

const FIRST = [start, signerKeySets, authDecisions]

/** Rows as the release of schema version 3 wrote them. */
function oldRows(yes: string, no: string): string[] {
  return [
    `create table schema_migrations (version integer primary key, name text not null, applied_at bigint not null)`,
    ...FIRST.map(({ version, name }) => `insert into schema_migrations values (${version}, '${name}', 1)`),
    `insert into auth_policies values ('default', 'Default', ${yes}, ${no}, ${yes}, ${yes}, 5, ${no}, ${no}, ${no}, 0, 0,
      ${yes}, null, ${no}, '{}', 1, 1)`,
    `insert into identities values ('old', 'old', 'old@example', 'Default', ${no}, ${no}, 'default', '[]', '{}', '{}', '{}',
      '{}', null, null, ${no}, '{}', 1, 1)`,
    `insert into identity_attributes values ('old', 'sales')`,
    `insert into ext_jwt_signers (id, name, enabled, issuer, audience, jwks_endpoint, claims_property, use_external_id,
      target_token, enroll_to_cert_enabled, enroll_to_token_enabled, enroll_name_claims_selector, clock_skew_seconds,
      required_claims, written_by_admin, revision, tags, created_at, updated_at) values ('signer', 'signer', ${yes},
      'https://old.example', 'old', 'https://old.example/keys', 'sub', ${yes}, 'ACCESS', ${no}, ${no}, 'sub', 60,
      '{"/hd":["example"]}', ${yes}, 1, '{}', 1, 1)`,
    `insert into authenticators (id, identity_id, method, username, password_digest, tags, created_at, updated_at) values
      ('password', 'old', 'updb', 'old', 'digest', '{}', 1, 1)`,
    `insert into api_sessions (id, token_digest, identity_id, authenticator_id, ip_address, config_types, last_activity_at,
      expires_at, ends_at, tags, created_at, updated_at) values ('session', 'digest', 'old', 'password', '192.0.2.1', '[]', 1,
      9000000000000, 9000000000000, '{}', 1, 1)`,
  ]
}

function makeSqliteFile(t: TestContext, rows: readonly string[], migrations = FIRST): string {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-upgrade-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'old.db')
  const raw = new DatabaseSync(file)
  for (const { statements } of migrations) for (const statement of statements(SQLITE_TYPES)) raw.exec(statement)
  for (const statement of rows) raw.exec(statement)
  raw.close()
  return file
}

async function upgrade(t: TestContext, database: (typeof DATABASES)[number]) {
  if (database === 'sqlite')
    return openSqliteStore({ writer: WRITER_ENTRY, file: makeSqliteFile(t, oldRows('1', '0')), now: 2 })
  const url = await (await getPostgres()).createDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const { statements } of FIRST) for (const statement of statements(POSTGRES_TYPES)) await client.query(statement)
  for (const statement of oldRows('true', 'false')) await client.query(statement)
  await client.end()
  return openPostgresStore({ url, nodeId: newId(), now: 2, onProblem: () => {} })
}

async function findSessionsOf({ db }: Store, identityId: string) {
  return db.selectFrom('session_owners').selectAll().where('identity_id', '=', identityId).execute()
}

for (const database of DATABASES) {
  test(`S-16 on ${database} rows of an early release are kept, and what they did not have is set strictly`, async (t) => {
    const store = await upgrade(t, database)
    t.after(() => store.close())
    const identity = await findIdentity(store.db, 'old')
    assert.equal(identity?.isAdmin, false)
    assert.deepEqual(identity?.permissions, [])
    const signer = await findSigner(store.db, 'signer')
    assert.deepEqual(signer?.requiredClaims, { '/hd': ['example'] })
    assert.equal(signer?.enrollToCertEnabled || signer?.enrollToTokenEnabled, false)
    const session = await store.db.selectFrom('api_sessions').selectAll().where('id', '=', 'session').executeTakeFirst()
    assert.equal(session?.passed_totp_id, null, 'an old session has passed no second factor')
    const authenticator = await store.db.selectFrom('authenticators').selectAll().executeTakeFirstOrThrow()
    assert.equal(authenticator.extend_requested_at, null)
    assert.equal(authenticator.key_roll_requested ? 1 : 0, 0)
    assert.deepEqual(await store.db.selectFrom('totps').selectAll().execute(), [])
    assert.deepEqual(await store.db.selectFrom('enrollments').selectAll().execute(), [])
    assert.equal((await findSessionsOf(store, 'old')).length, 1, 'whose it is is known')
    const counts = await store.db.selectFrom('row_counts').selectAll().orderBy('table_name').execute()
    const wanted = { identities: 1, authenticators: 1, ...(database === 'sqlite' && { api_sessions: 1 }) }
    for (const [table_name, total] of Object.entries(wanted)) {
      assert.equal(counts.find((row) => row.table_name === table_name)?.total, total, table_name)
    }
    await store.run(endSession, { id: 'session' }, { actorId: 'system', now: 3 })
  })
}

test('S-16 on sqlite sessions keep their certificates when they are numbered, and both end as before', async (t) => {
  const since = MIGRATIONS.findIndex(({ name }) => name === 'filed-sessions')
  const before = MIGRATIONS.slice(0, since)
  const seen = before
    .slice(FIRST.length)
    .map(({ version, name }) => `insert into schema_migrations values (${version}, '${name}', 1)`)
  const certificate = `insert into api_session_certificates (id, api_session_id, subject, fingerprint, cert_pem, not_before, not_after, tags,
    created_at, updated_at) values ('certificate', 'session', '', '', '', 1, 2, '{}', 1, 1)`
  const started = `update row_counts set total = total + 1 where table_name = 'api_sessions'`
  // Identities have one more column by then.
  const old = oldRows('1', '0').map((row) =>
    row.startsWith('insert into identities') ? row.replace(/\)$/, ', null)') : row,
  )
  const file = makeSqliteFile(t, [...old, ...seen, certificate, started], before)
  const store = await openSqliteStore({ writer: WRITER_ENTRY, file, now: 2 })
  t.after(() => store.close())
  const count = async () => {
    const [sessions, certificates, owners, total] = await Promise.all([
      store.db.selectFrom('api_sessions').selectAll().execute(),
      store.db.selectFrom('api_session_certificates').selectAll().execute(),
      findSessionsOf(store, 'old'),
      store.db.selectFrom('row_counts').select('total').where('table_name', '=', 'api_sessions').executeTakeFirst(),
    ])
    return [sessions.length, certificates.length, owners.length, total?.total]
  }
  assert.deepEqual(await count(), [1, 1, 1, 1])
  await store.run(endSession, { id: 'session' }, { actorId: 'system', now: 3 })
  assert.deepEqual(await count(), [0, 0, 0, 0])
})
