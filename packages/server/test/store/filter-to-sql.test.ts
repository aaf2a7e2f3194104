import assert from 'node:assert/strict'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import {
  compareRows,
  evaluate,
  type Predicate,
  parseFilter,
  parseSort,
  resolvePaging,
  type SortField,
} from '@countersign/core'
import { startPostgres } from '@countersign/testkit'
import fc from 'fast-check'
import {
  type CompiledQuery,
  type Dialect,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import pg from 'pg'
import { splitPredicate } from '../../src/store/filter-shape.ts'
import {
  buildFilterOptions,
  type FilterTable,
  predicateToSql,
  sortTerms,
  sortToSql,
} from '../../src/store/filter-to-sql.ts'
import { bindArguments } from '../../src/store/prepared.ts'
import { afterToSql, positionToSql, type SortPosition } from '../../src/store/sort-position.ts'

const TABLE: FilterTable = {
  table: 'things',
  columns: new Map([
    ['id', { kind: 'column', column: 'id', type: 'string', notNull: true }],
    ['name', { kind: 'column', column: 'name', type: 'string' }],
    ['externalId', { kind: 'column', column: 'external_id', type: 'string' }],
    ['ratio', { kind: 'column', column: 'ratio', type: 'number' }],
    ['size', { kind: 'column', column: 'size', type: 'number' }],
    ['enabled', { kind: 'column', column: 'enabled', type: 'bool' }],
    ['createdAt', { kind: 'column', column: 'created_at', type: 'datetime' }],
    ['roleAttributes', { kind: 'set', table: 'thing_roles', ownerColumn: 'thing_id', valueColumn: 'role' }],
    ['tags', { kind: 'tags', column: 'tags' }],
  ]),
}
const OPTIONS = buildFilterOptions(TABLE)

interface Thing {
  id: string
  name: string | null
  externalId: string | null
  ratio: number | null
  size: number | null
  enabled: boolean | null
  createdAt: number | null
  tags: Record<string, unknown> | null
  roleAttributes: string[]
}

/** The tables of both databases, by the conventions of the schema. */
const createTables = (text: string, int: string, real: string, bool: string) => [
  `create table things (id ${text} primary key, name ${text}, external_id ${text}, ratio ${real}, size ${int},
    enabled ${bool}, created_at ${int}, tags ${text})`,
  'create index things_name on things (name)',
  'create unique index things_external_id on things (external_id)',
  `create table thing_roles (thing_id ${text} not null, role ${text} not null, primary key (thing_id, role))`,
]

const compilerOf = (dialect: Omit<Dialect, 'createDriver'>) =>
  new Kysely<unknown>({ dialect: { ...dialect, createDriver: () => new DummyDriver() } })
const COMPILERS = {
  sqlite: compilerOf({
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }),
  postgres: compilerOf({
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }),
}

function compile(
  dialect: 'sqlite' | 'postgres',
  predicate: Predicate,
  sort: readonly SortField[] = [],
  position?: SortPosition,
): CompiledQuery {
  const terms = sortTerms(sort, TABLE, dialect)
  const isAfter = position ? afterToSql(terms, position) : sql`true`
  const order = [...sortToSql(terms, dialect), sql.ref('things.id')]
  const compiled = (each: Predicate) =>
    sql`select id from things where ${predicateToSql(each, TABLE, dialect)} and ${isAfter} order by ${sql.join(order)}`.compile(
      COMPILERS[dialect],
    )
  const whole = compiled(predicate)
  const { shape, values } = splitPredicate(predicate)
  const shared = compiled(shape)
  assert.equal(shared.sql, whole.sql, 'the shared statement equals the one for these values')
  const bound = bindArguments(shared, values).map((value) => (typeof value === 'boolean' ? Number(value) : value))
  assert.deepEqual(
    bound,
    whole.parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value)),
  )
  return whole
}

const compileText = (dialect: 'sqlite' | 'postgres', text: string) =>
  compile(dialect, parseFilter(text, OPTIONS).predicate)

const sqlite = new DatabaseSync(':memory:')
for (const statement of createTables('text', 'integer', 'real', 'integer')) sqlite.exec(statement)

function fillSqlite(things: readonly Thing[]): void {
  sqlite.exec('delete from things; delete from thing_roles')
  const insert = sqlite.prepare('insert into things values (?, ?, ?, ?, ?, ?, ?, ?)')
  const insertRole = sqlite.prepare('insert into thing_roles values (?, ?)')
  for (const { id, name, externalId, ratio, size, enabled, createdAt, tags, roleAttributes } of things) {
    const flag = enabled === null ? null : Number(enabled)
    insert.run(id, name, externalId, ratio, size, flag, createdAt, tags && JSON.stringify(tags))
    for (const role of roleAttributes) insertRole.run(id, role)
  }
}

const runSqlite = ({ sql: text, parameters }: CompiledQuery) =>
  sqlite
    .prepare(text)
    .all(...(parameters as SQLInputValue[]))
    .map(({ id }) => id)

const things = (...rows: Partial<Thing>[]): Thing[] =>
  rows.map((row, index) => ({
    id: `r${index}`,
    name: null,
    externalId: null,
    ratio: null,
    size: null,
    enabled: null,
    createdAt: null,
    tags: null,
    roleAttributes: [],
    ...row,
  }))

describe('predicateToSql', () => {
  test('compiles equality to a plain comparison that uses the index, also inside or', () => {
    const lookup = compileText('sqlite', 'id = "X" or name="X" or externalId = "X"')
    assert.match(lookup.sql, /\("things"\."id" = \? or "things"\."name" = \? or "things"\."external_id" = \?\)/)
    for (const text of ['id = "X"', 'name = "X"', 'externalId = "X"', 'id = "X" or name="X" or externalId = "X"']) {
      assert.deepEqual(scansOf(text), [], text)
    }
    assert.equal(scansOf('name contains "X"').length, 1)
  })

  function scansOf(text: string): unknown[] {
    const { sql: statement, parameters } = compileText('sqlite', text)
    const plan = sqlite.prepare(`explain query plan ${statement}`).all(...(parameters as SQLInputValue[]))
    assert.ok(plan.length > 0)
    return plan.filter(({ detail }) => String(detail).startsWith('SCAN'))
  }

  test('M-16 binds all text of the caller', () => {
    const marker = 'zq'
    const texts = [
      `name = "${marker}" and name != "${marker}" and name < "${marker}"`,
      `name contains "${marker}" or name not icontains "${marker}" or name in ["${marker}", "b"]`,
      `anyOf(roleAttributes) = "${marker}" or allOf(roleAttributes) = "${marker}"`,
      `tags.${marker} = "${marker}" or tags.${marker} = null`,
    ]
    for (const dialect of ['sqlite', 'postgres'] as const) {
      for (const text of texts) {
        const { sql: statement, parameters } = compileText(dialect, text)
        assert.ok(!statement.includes(marker), statement)
        assert.ok(parameters.includes(marker))
      }
      assert.deepEqual(compileText(dialect, 'size = 77123').sql.includes('77123'), false)
    }
  })

  test('M-16 finds text that looks like SQL or like a pattern as plain text', () => {
    const hostile = `x'); drop table things; -- "%_`
    fillSqlite(things({ name: hostile }, { name: 'harmless' }))
    assert.deepEqual(runSqlite(compileText('sqlite', `name = ${JSON.stringify(hostile)}`)), ['r0'])
    assert.deepEqual(runSqlite(compileText('sqlite', 'name contains "%"')), ['r0'])
    assert.deepEqual(runSqlite(compileText('sqlite', 'name contains "_"')), ['r0'])
    assert.deepEqual(runSqlite(compileText('sqlite', 'name contains "harm"')), ['r1'])
  })

  test('M-17 a tag key is a value even if the parser did not produce it', () => {
    for (const key of ["a'b", '$', '$.a', '[0]', '**', '"', "') or 1=1 --"]) {
      const equal = { kind: 'equal', operand: { kind: 'tag', key }, negated: false, value: 'v' } as const
      for (const dialect of ['sqlite', 'postgres'] as const) {
        const { sql: statement, parameters } = compile(dialect, { kind: 'comparison', comparison: equal })
        assert.ok(parameters.includes(key))
        assert.equal(statement, compileText(dialect, 'tags.a = "v"').sql)
      }
      fillSqlite(things({ tags: { [key]: 'v' } }, { tags: { a: 'v' } }, { tags: { a: { [key]: 'v' } } }))
      assert.deepEqual(runSqlite(compile('sqlite', { kind: 'comparison', comparison: equal })), ['r0'])
    }
  })

  test('M-16 the largest filters that the parser accepts run', () => {
    fillSqlite(things({ name: 'a', enabled: true }))
    const negations = 'not (enabled = false or not (enabled and '.repeat(16)
    const groups = '(enabled = false or (enabled and name contains "a" and '.repeat(32)
    for (const text of [
      Array(500).fill('enabled').join(' or '),
      Array(50).fill('name not contains "b"').join(' and '),
      `${negations}true${'))'.repeat(16)}`,
      `${groups}true${'))'.repeat(32)}`,
      `name in [${Array(500).fill('"a"').join(',')}]`,
    ]) {
      assert.deepEqual(runSqlite(compileText('sqlite', text)), ['r0'])
    }
  })

  test('compares text by code points whatever the locale of a PostgreSQL database', () => {
    assert.match(compileText('postgres', 'tags.a < "b"').sql, / end collate "C"\) < /)
    assert.match(compileText('postgres', 'name icontains "b"').sql, /lower\("things"\."name" collate "C"\)/)
  })

  test('a symbol without a binding is a programming error', () => {
    const other: FilterTable = { table: 'things', columns: new Map() }
    for (const text of ['name = "a"', 'tags.a = "a"', 'isEmpty(roleAttributes)']) {
      const { predicate } = parseFilter(text, OPTIONS)
      assert.throws(() => predicateToSql(predicate, other, 'sqlite'), TypeError)
      assert.ok(predicateToSql(predicate, TABLE, 'sqlite'))
    }
    const comparison = { kind: 'equal', operand: { kind: 'element' }, negated: false, value: 'x' } as const
    assert.throws(() => predicateToSql({ kind: 'comparison', comparison }, TABLE, 'sqlite'), TypeError)
  })
})

test('L-14 M-18 the bindings of a table are its only symbols', () => {
  assert.deepEqual([...OPTIONS.symbols.keys()].sort(), [...TABLE.columns.keys()].filter((key) => key !== 'tags').sort())
  const publicTable: FilterTable = { table: 'things', columns: new Map([...TABLE.columns].slice(0, 2)) }
  const narrow = buildFilterOptions(publicTable)
  assert.equal(narrow.tags, false)
  for (const text of ['externalId contains "x"', 'external_id contains "x"', 'tags.a = "x"']) {
    assert.throws(() => resolvePaging({ filter: text }, narrow), { code: 'INVALID_FILTER' })
  }
  assert.throws(() => resolvePaging({ sort: 'externalId' }, narrow), { code: 'INVALID_SORT_IDENTIFIER' })
  assert.ok(resolvePaging({ filter: 'externalId contains "x"', sort: 'externalId' }, OPTIONS))
})

describe('SQLite, PostgreSQL and evaluate', () => {
  let server: Awaited<ReturnType<typeof startPostgres>>
  let client: pg.Client

  before(async () => {
    server = await startPostgres()
    client = new pg.Client({ connectionString: await server.createDatabase() })
    await client.connect()
    for (const statement of createTables('text collate "C"', 'bigint', 'double precision', 'boolean')) {
      await client.query(statement)
    }
  })
  after(async () => {
    await client?.end()
    await server?.stop()
  })

  async function fillPostgres(rows: readonly Thing[]): Promise<void> {
    const columns = rows.map(({ externalId, createdAt, tags, roleAttributes, ...rest }) => {
      return { ...rest, external_id: externalId, created_at: createdAt, tags: tags && JSON.stringify(tags) }
    })
    const roles = rows.flatMap(({ id, roleAttributes }) => roleAttributes.map((role) => ({ thing_id: id, role })))
    await client.query('delete from things')
    await client.query('delete from thing_roles')
    const populate = (table: string) => `insert into ${table} select * from json_populate_recordset(null::${table}, $1)`
    await client.query(populate('things'), [JSON.stringify(columns)])
    await client.query(populate('thing_roles'), [JSON.stringify(roles)])
  }

  async function assertAgreement(rows: readonly Thing[], filter: string, sortText: string): Promise<string[]> {
    const { predicate } = parseFilter(filter, OPTIONS)
    const sort = [...parseSort(sortText, OPTIONS), { symbol: 'id', descending: false }]
    const read = (row: Thing) => (symbol: string) => row[symbol as keyof Thing]
    const expected = rows
      .filter((row) => evaluate(predicate, read(row)))
      .sort((left, right) => compareRows(sort, read(left), read(right)))
      .map(({ id }) => id)
    assert.deepEqual(runSqlite(compile('sqlite', predicate, sort)), expected, `SQLite: ${filter}`)
    const { sql: text, parameters } = compile('postgres', predicate, sort)
    const result = await client.query(text, [...parameters])
    assert.deepEqual(
      result.rows.map(({ id }) => id),
      expected,
      `PostgreSQL: ${filter}`,
    )
    await assertContinues(predicate, sort, expected)
    return expected
  }

  /** The rows after the one in the middle are those that follow it in the order. */
  async function assertContinues(predicate: Predicate, sort: readonly SortField[], ids: readonly string[]) {
    const middle = Math.floor(ids.length / 2)
    const id = ids[middle]
    if (id === undefined) return
    const positionOf = (dialect: 'sqlite' | 'postgres') => {
      const columns = sql.join(positionToSql(sortTerms(sort, TABLE, dialect)))
      return sql`select ${columns} from things where id = ${id}`.compile(COMPILERS[dialect])
    }
    const { sql: text, parameters } = positionOf('sqlite')
    const [position] = sqlite.prepare(text).all(...(parameters as SQLInputValue[]))
    const following = ids.slice(middle + 1)
    assert.deepEqual(runSqlite(compile('sqlite', predicate, sort, position)), following)
    const one = await client.query(positionOf('postgres').sql, [id])
    const next = compile('postgres', predicate, sort, one.rows[0])
    const { rows } = await client.query(next.sql, [...next.parameters])
    assert.deepEqual(
      rows.map((row) => row.id),
      following,
    )
  }

  test('agree where the databases differ by nature', async () => {
    const rows = things(
      { name: 'Ärger', tags: { a: 1e21 }, ratio: 5, roleAttributes: ['B'] },
      { name: 'ärger', tags: { a: 1e-7 }, ratio: 5.5 },
      { name: '\u212a', tags: { a: 1e19 }, ratio: 50, roleAttributes: ['b'] },
      { name: 'K', tags: { a: true }, size: 5 },
      { name: '\u{1f600}', tags: { a: 'b' }, enabled: false },
      { name: '\uff21', tags: { a: 'B' }, enabled: true },
      { tags: { a: { b: 1 } } },
    )
    fillSqlite(rows)
    await fillPostgres(rows)
    const expectations: readonly (readonly [filter: string, sort: string, ids: string])[] = [
      ['name icontains "ärger"', '', 'r1'],
      ['name icontains "äRGER"', '', 'r1'],
      ['name icontains "k"', '', 'r3'],
      ['name > "\uff21"', '', 'r4'],
      ['name != null', 'name', 'r3,r0,r1,r2,r5,r4'],
      ['true', 'name desc', 'r4,r5,r2,r1,r0,r3,r6'],
      ['enabled = null', 'enabled', 'r0,r1,r2,r3,r6'],
      ['ratio contains "."', '', 'r1'],
      ['tags.a = "1e+21"', '', 'r0'],
      ['tags.a = "1e-7"', '', 'r1'],
      ['tags.a = "10000000000000000000"', '', 'r2'],
      ['tags.a = "true"', '', 'r3'],
      ['tags.a = null', '', 'r6'],
      ['tags.a >= "B" and tags.a < "a"', '', 'r5'],
      ['anyOf(roleAttributes) < "a"', '', 'r0'],
      ['not allOf(roleAttributes) < "a"', '', 'r2'],
      ['not enabled', '', 'r0,r1,r2,r3,r4,r6'],
      ['not name < "z"', '', 'r0,r1,r2,r4,r5,r6'],
    ]
    for (const [filter, sort, ids] of expectations) {
      assert.equal((await assertAgreement(rows, filter, sort)).join(), ids, filter)
    }
  })

  test('agree on random filters, orders and rows', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyThing, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(anyFilter, anySort), { minLength: 6, maxLength: 6 }),
        async (rows, queries) => {
          const numbered = rows.map((row, index) => ({
            ...row,
            id: `r${index}`,
            externalId: row.externalId && `${index}`,
          }))
          fillSqlite(numbered)
          await fillPostgres(numbered)
          for (const [filter, sort] of queries) await assertAgreement(numbered, filter, sort)
        },
      ),
      { seed: 20260731, numRuns: 200 },
    )
  })
})

const texts = ['a', 'A', 'b', 'ä', 'Ä', '%', '_', "'", '"', '\\', '5', ' ', '\n', '\uff21', '😀', 'ß', 'İ', 'K']
const anyText = fc.oneof(
  fc.string({ unit: fc.constantFrom(...texts), maxLength: 3 }),
  fc.constantFrom('true', 'false', '5', '1.5', '1e+21', 'r1'),
)
const anyNumber = fc.constantFrom(0, 1, -1, 2, 5, 12, 1.5, -0.5, 15000000000)
const anyInstant = fc.constantFrom(0, 1, 1769853600000, 1769853600001, -86400000)
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 })
const TAG_KEYS = ['a', 'a-b', 'a.b', '__proto__', 'constructor', 'A'] as const

const anyTags = fc
  .array(
    fc.tuple(
      fc.constantFrom(...TAG_KEYS),
      fc.oneof(
        anyText,
        anyNumber,
        fc.constantFrom(1e21, 1e-7, 2 ** 53, 1e19, 0.1, true, false, null, [1], { a: 'a' }, []),
      ),
    ),
    { maxLength: 4 },
  )
  .map((entries) => {
    const unique = new Map<string, unknown>(entries)
    return JSON.parse(
      `{${[...unique].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`,
    )
  })

const anyThing: fc.Arbitrary<Thing> = fc.record({
  id: fc.constant(''),
  name: nullable(anyText),
  externalId: nullable(fc.constant('x')),
  ratio: nullable(anyNumber),
  size: nullable(anyNumber.map(Math.trunc).map((value) => value + 0)),
  enabled: nullable(fc.boolean()),
  createdAt: nullable(anyInstant),
  tags: nullable(anyTags),
  roleAttributes: fc.uniqueArray(anyText, { maxLength: 3 }),
})

const quoted = anyText.map((text) => `"${text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`)
const numeral = anyNumber.map(String)
const instant = anyInstant.map((ms) => `datetime(${new Date(ms).toISOString()})`)
const maybeNot = fc.constantFrom('', 'not ')
const joined = (...parts: (string | fc.Arbitrary<string>)[]) =>
  fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((list) => list.join(''))

const listOf = (literal: fc.Arbitrary<string>) =>
  fc.array(literal, { minLength: 1, maxLength: 3 }).map((list) => `[${list.join(', ')}]`)
const equality = (left: fc.Arbitrary<string>, literal: fc.Arbitrary<string>) =>
  joined(left, fc.constantFrom(' = ', ' != '), fc.oneof(literal, fc.constant('null')))
const order = (left: fc.Arbitrary<string>, literal: fc.Arbitrary<string>) =>
  joined(left, fc.constantFrom(' < ', ' <= ', ' > ', ' >= '), literal)
const membership = (left: fc.Arbitrary<string>, literal: fc.Arbitrary<string>) =>
  joined(left, ' ', maybeNot, 'in ', listOf(literal))
const between = (left: fc.Arbitrary<string>, literal: fc.Arbitrary<string>) =>
  joined(left, ' ', maybeNot, 'between ', literal, ' and ', literal)
const containing = (left: fc.Arbitrary<string>, operators: string[], literal: fc.Arbitrary<string>) =>
  joined(left, ' ', maybeNot, fc.constantFrom(...operators), ' ', literal)

const stringLeft = fc.oneof(
  fc.constantFrom('id', 'name', 'externalId', 'anyOf(roleAttributes)', 'allOf(roleAttributes)'),
  fc.constantFrom(...TAG_KEYS.map((key) => `tags.${key}`)),
)
const stringTest = fc.oneof(
  equality(stringLeft, fc.oneof(quoted, numeral)),
  order(stringLeft, quoted),
  membership(stringLeft, quoted),
  containing(stringLeft, ['contains', 'icontains'], fc.oneof(quoted, numeral)),
  equality(fc.constantFrom(...TAG_KEYS.map((key) => `tags.${key}`)), fc.constantFrom('true', 'false')),
)
const numberLeft = fc.constantFrom('ratio', 'size', 'count(roleAttributes)')
const numberTest = fc.oneof(
  equality(numberLeft, numeral),
  order(numberLeft, numeral),
  membership(numberLeft, numeral),
  between(numberLeft, numeral),
  containing(
    numberLeft,
    ['contains'],
    fc.constantFrom('1', '5', '.5', '-', '0').map((text) => `"${text}"`),
  ),
)
const createdAt = fc.constant('createdAt')
const instantTest = fc.oneof(
  equality(createdAt, instant),
  order(createdAt, instant),
  membership(createdAt, instant),
  between(createdAt, instant),
)
const boolTest = fc.oneof(
  fc.constantFrom('enabled', 'true', 'false', 'isEmpty(roleAttributes)'),
  equality(fc.constant('enabled'), fc.constantFrom('true', 'false')),
)
const anyTest = fc.oneof(stringTest, numberTest, instantTest, boolTest)

const { filter: anyFilter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    anyTest,
    joined('not (', tie('filter'), ')'),
    joined('(', tie('filter'), ') and (', tie('filter'), ')'),
    joined('(', tie('filter'), ') or (', tie('filter'), ')'),
    joined(anyTest, ' and ', anyTest, ' or ', anyTest),
  ),
}))

const anySort = fc
  .array(
    joined(
      fc.constantFrom('name', 'externalId', 'ratio', 'size', 'enabled', 'createdAt', 'id'),
      fc.constantFrom('', ' asc', ' desc'),
    ),
    { maxLength: 3 },
  )
  .map((fields) => fields.join(','))
