import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { endSession } from '../../src/operations/api-session/end-session.ts'
import { StartupError } from '../../src/platform/startup-error.ts'
import { backupDataDir, restoreDataDir } from '../../src/process/backup.ts'
import { initial } from '../../src/store/migrations/initial/initial.ts'
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts'
import { UNRELEASED_STEPS } from '../../src/store/migrations/unreleased-steps.ts'
import { findIdentity } from '../../src/store/reads/identity-reads.ts'
import { listNetworks } from '../../src/store/reads/network-reads.ts'
import { findSigner } from '../../src/store/reads/signer-reads.ts'
import type { Store } from '../../src/store/store.ts'
import { type EmptyDatabase, makeEmptyDatabase, makeSqliteFile, onSqlite } from './empty-database.ts'
import { DATABASES, stopPostgres } from './open-test-stores.ts'
import { sampleRows } from './sample-rows.ts'

after(stopPostgres)

const STEPS = 'select version, name from schema_migrations order by version'

/** Fills a database with rows and records these steps as the ones that created its schema. */
async function fill(database: EmptyDatabase, steps: readonly string[]): Promise<void> {
  await database.migrate(1, [initial])
  await database.run(
    ...sampleRows(database.words),
    'delete from schema_migrations',
    ...steps.map((name, index) => `insert into schema_migrations values (${index + 1}, '${name}', 1)`),
  )
}

async function count(store: Store) {
  const all = (table: 'api_sessions' | 'api_session_certificates') => store.db.selectFrom(table).selectAll().execute()
  const [sessions, certificates, counts] = await Promise.all([
    all('api_sessions'),
    all('api_session_certificates'),
    store.db.selectFrom('row_counts').selectAll().execute(),
  ])
  return {
    sessions: sessions.length,
    certificates: certificates.length,
    ...Object.fromEntries(counts.map(({ table_name, total }) => [`counted ${table_name}`, total])),
  }
}

for (const name of DATABASES) {
  test(`S-16 on ${name} a database of the unreleased steps is accepted as the initial schema, and its rows are kept`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    await fill(database, UNRELEASED_STEPS)
    const store = await database.open(2)
    t.after(() => store.close())
    assert.deepEqual(
      await store.db.selectFrom('schema_migrations').selectAll().execute(),
      MIGRATIONS.map(({ version, name: step }) => ({ version, name: step, applied_at: 2 })),
    )
    const identity = await findIdentity(store.db, 'old')
    assert.equal(identity?.isAdmin, false)
    assert.deepEqual(identity?.permissions, [])
    const signer = await findSigner(store.db, 'signer')
    assert.deepEqual(signer?.requiredClaims, { '/hd': ['example'] })
    const unknownWriter = { writtenById: null, writtenByName: null }
    assert.deepEqual(signer?.trust, { isTrusted: true, ...unknownWriter, writtenAt: signer?.updatedAt })
    assert.equal(signer?.enrollToCertEnabled || signer?.enrollToTokenEnabled, false)
    const session = await store.db.selectFrom('api_sessions').selectAll().where('id', '=', 'session').executeTakeFirst()
    assert.equal(session?.passed_totp_id, null, 'the session has no second factor')
    const authenticator = await store.db.selectFrom('authenticators').selectAll().executeTakeFirstOrThrow()
    assert.equal(authenticator.extend_requested_at, null)
    assert.equal(authenticator.key_roll_requested ? 1 : 0, 0)
    const counted = { 'counted identities': 1, 'counted authenticators': 1 }
    const sessionsCounted = (total: number) => (name === 'sqlite' ? { 'counted api_sessions': total } : {})
    assert.deepEqual(await count(store), { sessions: 1, certificates: 1, ...counted, ...sessionsCounted(1) })
    await store.run(endSession, { id: 'session' }, { actorId: 'system', now: 3 })
    assert.deepEqual(await count(store), { sessions: 0, certificates: 0, ...counted, ...sessionsCounted(0) })
  })

  test(`S-16 on ${name} open sessions of 0.1.0 get what they rest on`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    await database.migrate(1, [initial])
    const credentials = ['password', 'certificate', 'removed', 'extJwtId:signer', 'extJwtId:by-id', 'apiAccount:robot']
    await database.run(
      ...sampleRows(database.words),
      `insert into authenticators (id, identity_id, method, tags, created_at, updated_at) values
        ('certificate', 'old', 'cert', '{}', 1, 1)`,
      ...credentials.map(
        (
          credential,
        ) => `insert into api_sessions (id, token_digest, identity_id, authenticator_id, ip_address, config_types,
          last_activity_at, expires_at, ends_at, tags, created_at, updated_at) values ('by ${credential}', '${credential}',
          'old', '${credential}', '', '[]', 1, 9000000000000, 9000000000000, '{}', 1, 1)`,
      ),
    )
    const store = await database.open(2)
    t.after(() => store.close())
    const rows = await store.db
      .selectFrom('api_sessions')
      .select(['authenticator_id', 'method', 'signer_id', 'external_id'])
      .where('id', '!=', 'session')
      .execute()
    const basisOf = new Map(rows.map(({ authenticator_id: id, ...basis }) => [id, Object.values(basis)]))
    assert.deepEqual(Object.fromEntries(basisOf), {
      password: ['password', null, null],
      certificate: ['cert', null, null],
      'extJwtId:signer': ['ext-jwt', 'signer', 'old@example'],
      'extJwtId:by-id': ['ext-jwt', 'by-id', null],
      'apiAccount:robot': ['api-account', null, null],
    })
  })

  test(`on ${name} any other list of unreleased steps is refused with a hint, and not changed`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    await fill(database, UNRELEASED_STEPS)
    const refused: readonly (readonly string[])[] = [
      ...[1, 2, 12].map((length) => UNRELEASED_STEPS.slice(0, length)),
      [...UNRELEASED_STEPS, 'fourteenth'],
      UNRELEASED_STEPS.with(12, 'another'),
    ]
    for (const steps of refused) {
      await database.run(
        'delete from schema_migrations',
        ...steps.map((step, index) => `insert into schema_migrations values (${index + 1}, '${step}', 1)`),
      )
      const before = await database.run(STEPS)
      await assert.rejects(database.open(2), (error: unknown) => {
        assert.ok(error instanceof StartupError, String(error))
        assert.match(error.message, /unreleased build: its schema step 1 is start, not initial$/)
        assert.match(error.hint ?? '', /^export .* apply .*empty/)
        return true
      })
      assert.deepEqual(await database.run(STEPS), before)
    }
  })
}

test('S-16 a backup of a database of the unreleased steps is restored and opened', async (t) => {
  const file = makeSqliteFile(t)
  const dataDir = dirname(file)
  mkdirSync(join(dataDir, 'keys'))
  await fill(onSqlite(file), UNRELEASED_STEPS)
  const backup = join(dataDir, 'backup')
  await backupDataDir(dataDir, backup)
  const before = readFileSync(backup)
  const restored = join(dataDir, 'restored')
  await restoreDataDir(backup, restored)
  assert.deepEqual(readFileSync(backup), before)
  const store = await onSqlite(join(restored, 'countersign.db')).open(2)
  t.after(() => store.close())
  assert.equal((await findIdentity(store.db, 'old'))?.name, 'old')
  assert.equal((await count(store)).sessions, 0)
  const steps = await store.db.selectFrom('schema_migrations').select(['version', 'name']).execute()
  assert.deepEqual(
    steps,
    MIGRATIONS.map(({ version, name }) => ({ version, name })),
  )
})

for (const name of DATABASES) {
  test(`on ${name} a network of the first release with letters beyond A to Z is found by its name, in any case of A to Z`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    const { no } = database.words
    await database.migrate(1, [initial])
    await database.run(
      `insert into organizations (id, name, label, active, is_local, created_at, updated_at) values ('o', 'o', 'o', ${no}, ${no}, 1, 1)`,
      `insert into network_groups values ('g', 'o', 'g', 'g', 1, 1)`,
      `insert into networks (id, organization_id, network_group_id, name, status, size, product_version, provider, region, is_local,
        owner_identity_id, created_by, created_at, updated_at) values ('n', 'o', 'g', 'Zürich 1', 'PROVISIONED', 's', '1', 'p', 'r', ${no}, 'x', 'x', 1, 1)`,
    )
    const store = await database.open(2)
    t.after(() => store.close())
    const wanted = { networkGroupId: undefined, status: undefined, page: 0, size: 10, descending: false }
    const find = async (namePattern: string) => (await listNetworks(store, 'o', { ...wanted, namePattern })).total
    assert.deepEqual(await Promise.all(['Zürich 1', 'ZüRICH%', 'z%', 'Zürich'].map(find)), [1, 1, 1, 0])
  })
}
