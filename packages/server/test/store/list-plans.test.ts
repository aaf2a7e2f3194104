import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId, type Paging, resolvePaging } from '@countersign/core'
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import {
  API_SESSION_FILTER,
  AUTH_POLICY_FILTER,
  AUTHENTICATOR_FILTER,
  ENROLLMENT_FILTER,
  IDENTITY_FILTER,
  ROLE_ATTRIBUTE_FILTER,
  SESSION_CERTIFICATE_FILTER,
  SIGNER_FILTER,
} from '../../src/store/filter-tables.ts'
import { buildFilterOptions, type FilterTable } from '../../src/store/filter-to-sql.ts'
import { buildChanges } from '../../src/store/reads/audit-event-reads.ts'
import { mayTakeLong } from '../../src/store/reads/list-reader.ts'
import { buildCount, buildPage } from '../../src/store/reads/list-rows.ts'
import { buildRightsSuppliedBy, buildRightsUnderPolicy } from '../../src/store/reads/rights-reads.ts'
import { buildFoldedUsers } from '../../src/store/reads/scim-user-reads.ts'
import type { Database } from '../../src/store/schema.ts'
import type { Store } from '../../src/store/store.ts'
import type { Transaction } from '../../src/store/transaction.ts'
import { unlinkSigner } from '../../src/store/writes/identity-writes.ts'
import { deleteSuppliedAttributes, releaseTokenAttributes } from '../../src/store/writes/supplied-attribute-writes.ts'
import { DATABASES, openTestStore, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

const IDENTITIES = 20
/** Enough for PostgreSQL to prefer an index over a scan; SQLite always prefers it. */
const MORE_IDENTITIES = 3_000

async function fill(store: Store): Promise<void> {
  const meta = { actorId: 'system', now: Date.now() }
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await store.run(createFirstAdmin, admin, meta)
  for (let number = 0; number < IDENTITIES; number++) {
    const body = { name: `user-${number}`, type: 'Default', isAdmin: false, externalId: `ext-${number}` } as const
    await store.run(createIdentity, { id: `id-${number}`, body }, meta)
  }
  if (store.dialect === 'sqlite') return
  await sql`insert into identities (id, name, external_id, type_id, is_admin, is_default_admin, auth_policy_id, permissions,
      app_data, hosting, env_info, sdk_info, tags, created_at, updated_at)
    select 'more-' || n, 'more-' || n, 'more-' || n, 'Default', false, false, 'default', '[]', '{}', '{}', '{}', '{}', '{}', 0, 0
    from generate_series(1, ${MORE_IDENTITIES}::int) as n`.execute(store.db)
  await sql`insert into identity_attributes (identity_id, attribute)
    select 'more-' || n, 'team-' || n from generate_series(1, ${MORE_IDENTITIES}::int) as n`.execute(store.db)
  for (const table of ['identities', 'identity_attributes']) await sql`analyze ${sql.table(table)}`.execute(store.db)
}

/** The query plan of a statement, as the database prints it. */
async function planOf(
  { readLong, dialect }: Store,
  { sql: text, parameters }: CompiledQuery<unknown>,
): Promise<string> {
  const prefix = dialect === 'sqlite' ? 'explain query plan' : 'explain'
  // The deadline is known to long reads only.
  const rows = await readLong('plans', CompiledQuery.raw(`${prefix} ${text}`, [...parameters]))
  return rows.map((row) => Object.values(row as object).join(' ')).join('\n')
}

const WHOLE_TABLE = { sqlite: /SCAN identities(?! USING)/, postgres: /Seq Scan on identities/ }
const SORTS = { sqlite: /TEMP B-TREE/, postgres: /(?<!Incremental )Sort {2}/ }
const COUNTS_ALL = { sqlite: /identities/, postgres: /identities(?!')/ }

function buildQueries(store: Store, table: FilterTable, paging: Paging) {
  const reader = { ...store, isLong: false }
  return { page: buildPage(reader, table, paging), count: buildCount(reader, table, paging.predicate) }
}

for (const database of DATABASES) {
  test(`the cost of a list of identities does not grow with their number, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    await fill(store)
    const options = buildFilterOptions(IDENTITY_FILTER)
    const queriesOf = (parameters: { filter?: string; sort?: string }) =>
      buildQueries(store, IDENTITY_FILTER, resolvePaging(parameters, options))

    for (const filter of [
      'id = "id-7"',
      'name = "user-7"',
      'externalId = "ext-7"',
      'id = "user-7" or name = "user-7"',
      'name in ["user-7", "user-8"]',
      'anyOf(roleAttributes) = "team-7"',
      'anyOf(roleAttributes) in ["team-7", "team-8"]',
    ]) {
      const { page, count } = queriesOf({ filter })
      for (const statement of [page, count]) {
        const plan = await planOf(store, statement)
        assert.doesNotMatch(plan, WHOLE_TABLE[database], `${filter}: ${plan}`)
      }
    }
    for (const sort of ['', 'id desc', 'name asc', 'name desc']) {
      const plan = await planOf(store, queriesOf({ sort }).page)
      assert.doesNotMatch(plan, SORTS[database], `${sort}: ${plan}`)
    }
    const unordered = await planOf(store, queriesOf({ sort: 'updatedAt asc' }).page)
    assert.match(unordered, SORTS[database], 'an order without an index shows in the plan')
    assert.doesNotMatch(await planOf(store, queriesOf({}).count), COUNTS_ALL[database], 'the total is stored')

    const scans = await planOf(store, queriesOf({ filter: 'name contains "7"' }).count)
    assert.match(scans, /identities/, 'a filter without an index shows in the plan')
  })
}

for (const database of DATABASES) {
  test(`D35 the cost of reading the rights under a policy or of whom a signer supplies does not grow with identities that have none, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    await fill(store)
    const query = buildRightsUnderPolicy(store.db, 'default')
    assert.match(await planOf(store, query.compile()), /identities_rights/)
    assert.match(await planOf(store, buildRightsSuppliedBy(store.db, 'signer').compile()), /identities_rights/)
    const rights = await query.execute()
    assert.deepEqual(
      rights.map(({ is_admin, permissions }) => [Boolean(is_admin), permissions]),
      [[true, '[]']],
      'only the administrator has rights',
    )
  })
}

const ALL_SESSIONS = { sqlite: /SCAN api_sessions/, postgres: /Seq Scan on api_sessions/ }

for (const database of DATABASES) {
  test(`the cost of listing an identity's sessions does not grow with the number of all sessions, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    if (database === 'postgres') {
      await fill(store)
      await sql`insert into api_sessions (id, token_digest, identity_id, authenticator_id, ip_address, config_types, last_activity_at,
          expires_at, ends_at, tags, created_at, updated_at)
        select 's-' || n, 's-' || n, 'more-' || n, '', '', '[]', 0, 0, 0, '{}', 0, 0
        from generate_series(1, ${MORE_IDENTITIES}::int) as n`.execute(store.db)
      await sql`analyze api_sessions`.execute(store.db)
    }
    const options = buildFilterOptions(API_SESSION_FILTER)
    const plansOf = async (filter: string) => {
      const { page, count } = buildQueries(store, API_SESSION_FILTER, resolvePaging({ filter }, options))
      return `${await planOf(store, page)}\n${await planOf(store, count)}`
    }
    for (const filter of [
      'identity = "more-7"',
      'identity in ["more-7", "more-8"]',
      'identity = "more-7" and ipAddress = ""',
    ])
      assert.doesNotMatch(await plansOf(filter), ALL_SESSIONS[database], filter)
    assert.match(await plansOf('ipAddress = ""'), ALL_SESSIONS[database], 'a filter without an index shows in the plan')
  })
}

const ALL_CHANGES = { sqlite: /SCAN change_log|change_log_organization/, postgres: /Seq Scan on change_log/ }

for (const database of DATABASES) {
  test(`F-14 the cost of the audit events of one type does not grow with the other changes of the organization, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    if (database === 'postgres') {
      await sql`insert into change_log (at, entity, entity_id, action, actor_id, organization_id)
        select n, 'networks', 'id', 'updated', 'actor', 'acme' from generate_series(1, ${MORE_IDENTITIES}::int) as n`.execute(
        store.db,
      )
      await sql`analyze change_log`.execute(store.db)
    }
    const changes = (['deleted', 'updated'] as const).map((action) => ({ entity: 'networks', action }) as const)
    const wanted = { from: 0, to: 1, after: undefined, limit: 10, changes, tokens: { accepted: false, refused: false } }
    const plan = await planOf(store, buildChanges(store, 'acme', wanted) ?? assert.fail())
    assert.equal(plan.match(/change_log_kind/g)?.length, changes.length, plan)
    assert.doesNotMatch(plan, ALL_CHANGES[database])
    const byRecord = store.db.selectFrom('change_log').selectAll().where('organization_id', '=', 'acme')
    const scan = await planOf(store, byRecord.where('entity_id', '=', 'id').compile())
    assert.match(scan, ALL_CHANGES[database], 'a scan shows in the plan')
  })
}

const FILTERS = [
  ...[API_SESSION_FILTER, AUTH_POLICY_FILTER, AUTHENTICATOR_FILTER, ENROLLMENT_FILTER, IDENTITY_FILTER],
  ...[SESSION_CERTIFICATE_FILTER, SIGNER_FILTER],
]
/** The last terms of an order may be sorted: rows that are equal up to there are few. */
const SORTS_ALL = /USE TEMP B-TREE FOR ORDER BY/

test('M-16 a list is short only in an order that an index has', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const short: string[] = []
  for (const table of FILTERS) {
    for (const symbol of table.columns.keys()) {
      if (table.columns.get(symbol)?.kind !== 'column') continue
      const paging = resolvePaging({ sort: symbol }, buildFilterOptions(table))
      if (mayTakeLong(paging, table)) continue
      short.push(`${table.table} ${symbol}`)
      const plan = await planOf(store, buildPage({ ...store, isLong: false }, table, paging))
      assert.doesNotMatch(plan, SORTS_ALL, `${table.table} by ${symbol}: ${plan}`)
    }
  }
  assert.ok(short.includes('identities name'))
  assert.ok(!short.includes('api_sessions ipAddress'))
})

test('M-16 a page far from the start of a list is a long read, and one near it is not', () => {
  const pagingAt = (offset: string) => resolvePaging({ offset }, buildFilterOptions(IDENTITY_FILTER))
  assert.equal(mayTakeLong(pagingAt('10001'), IDENTITY_FILTER), true)
  assert.equal(mayTakeLong(pagingAt('10000'), IDENTITY_FILTER), false)
})

test('M-16 a list without limit is a long read in every order but by id, and a page of it is not', () => {
  const isLong = (limit: string, sort: string) =>
    mayTakeLong(resolvePaging({ limit, sort }, buildFilterOptions(IDENTITY_FILTER)), IDENTITY_FILTER)
  for (const [sort, expected] of [['name', true] as const, ['id', false] as const, ['id desc', false] as const]) {
    assert.deepEqual([isLong('none', sort), isLong('500', sort)], [expected, false], sort)
  }
})

test('M-16 every list of attributes is a long read, and lists of identities with the same query are not', () => {
  for (const query of [{}, { limit: '10' }, { sort: 'id desc' }, { filter: 'id = "x"' }, { filter: 'id in ["x"]' }]) {
    const isLong = (table: FilterTable) => mayTakeLong(resolvePaging(query, buildFilterOptions(table)), table)
    assert.deepEqual([isLong(ROLE_ATTRIBUTE_FILTER), isLong(IDENTITY_FILTER)], [true, false], JSON.stringify(query))
  }
})

test('M-16 a list is short only when evaluating its filter for the rows that an index finds is little work', () => {
  const isShort = (table: FilterTable, filter: string) =>
    !mayTakeLong(resolvePaging({ filter }, buildFilterOptions(table)), table)
  const terms = (count: number, term: string) => Array.from({ length: count }, () => term).join(' or ')
  const values = (count: number) => Array.from({ length: count }, (_, n) => `"x${n}"`).join(', ')
  const cases: readonly (readonly [FilterTable, short: string, long: string])[] = [
    [API_SESSION_FILTER, 'identity = "x"', `identity = "x" and (${terms(40, 'mfaRequired')})`],
    [API_SESSION_FILTER, 'identity = "x" and ipAddress = ""', 'identity = "x" and mfaComplete = true'],
    [API_SESSION_FILTER, 'identity in ["x", "y"]', `identity in [${values(6)}]`],
    [API_SESSION_FILTER, terms(2, 'identity = "x"'), terms(6, 'identity = "x"')],
    [API_SESSION_FILTER, 'id = "x"', 'id = "x" sort by mfaRequired'],
    [IDENTITY_FILTER, 'name = "x" and lastLoginAt = null', 'lastLoginAt = null'],
    [IDENTITY_FILTER, 'name = "x"', 'name = "x" sort by lastLoginAt'],
    [
      IDENTITY_FILTER,
      `id = "x" and (${terms(45, 'tags.a = "b"')})`,
      `id in [${values(280)}] and (${terms(45, 'tags.a = "b"')})`,
    ],
    [IDENTITY_FILTER, `id in [${values(500)}]`, `id in [${values(500)}] and tags.a = "b"`],
    [IDENTITY_FILTER, 'id = "x" and name = "x"', 'id = "x" and anyOf(roleAttributes) = "x"'],
    [IDENTITY_FILTER, 'id = "x"', 'id = "x" and not anyOf(roleAttributes) = "x"'],
    [IDENTITY_FILTER, 'name = "x" and false', 'not false'],
  ]
  for (const [table, short, long] of cases) {
    assert.equal(isShort(table, short), true, short)
    assert.equal(isShort(table, long), false, long)
  }
})

test('limit and offset are never bare placeholders, which would make SQLite prepare the statement again at each call', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const paging = resolvePaging({ filter: 'name = "user-7"' }, buildFilterOptions(IDENTITY_FILTER))
  const built = store.db.selectFrom('identities').selectAll().limit(10).offset(20).compile()
  for (const { sql: text } of [built, buildPage({ ...store, isLong: false }, IDENTITY_FILTER, paging)]) {
    assert.match(text, /limit cast\(\? as integer\) offset cast\(\? as integer\)$/)
  }
})

for (const database of DATABASES) {
  test(`V-19 a user that no SCIM request has described is found by an index, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    await fill(store)
    for (const column of ['name', 'external_id'] as const) {
      const plan = await planOf(store, buildFoldedUsers(store.db, 'signer', column, 'carol').compile())
      assert.match(plan, new RegExp(`identities_folded_${column}`))
      assert.doesNotMatch(plan, WHOLE_TABLE[database])
    }
  })
}

/** The statements of `work`, which runs on an empty database. */
async function statementsOf({ dialect }: Store, work: (tx: Transaction) => Promise<void>): Promise<CompiledQuery[]> {
  const statements: CompiledQuery[] = []
  const isSqlite = dialect === 'sqlite'
  const db = new Kysely<Database>({
    dialect: {
      createAdapter: () => (isSqlite ? new SqliteAdapter() : new PostgresAdapter()),
      createDriver: () => new DummyDriver(),
      createIntrospector: () => assert.fail(),
      createQueryCompiler: () => (isSqlite ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    },
    log: ({ query }) => void statements.push(query),
  })
  await work({ db, dialect, actorId: 'system', now: 0, changed: () => {} })
  return statements
}

const ALL_ROWS = { sqlite: /SCAN/, postgres: /Seq Scan on (identities|identity_attributes)/ }

for (const database of DATABASES) {
  test(`R-23 the cost of deleting a signer does not grow with the identities that it does not know, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    await fill(store)
    for (const work of [unlinkSigner, deleteSuppliedAttributes, releaseTokenAttributes]) {
      const statements = await statementsOf(store, (tx) => work(tx, 'signer'))
      assert.notEqual(statements.length, 0)
      for (const statement of statements)
        assert.doesNotMatch(await planOf(store, statement), ALL_ROWS[database], statement.sql)
    }
    const unindexed = store.db.selectFrom('identity_attributes').selectAll().where('channel', '=', 'scim')
    assert.match(await planOf(store, unindexed.compile()), ALL_ROWS[database], 'a scan shows in the plan')
  })
}
