import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NamedStatement } from '../../src/store/postgres/named-statement.ts'
import type { StatementResult } from '../../src/store/postgres/postgres-dialect.ts'

/** A connection that records what is sent. */
function createConnection() {
  const sent: string[] = []
  const record = (name: string) => () => void sent.push(name)
  return {
    sent,
    stream: { cork: record('cork'), uncork: record('uncork') },
    parsedStatements: {} as Record<string, string>,
    submittedNamedStatements: {} as Record<string, string>,
    parse: record('parse'),
    describe: record('describe'),
    execute: record('execute'),
    sync: record('sync'),
    bind: ({ values }: { values: readonly (string | null)[] }) => void sent.push(`bind ${values}`),
  }
}

const FIELDS = [
  { name: 'id', dataTypeID: 25, format: 'text' as const },
  { name: 'count', dataTypeID: 23, format: 'text' as const },
]

function createStatement(values: readonly unknown[] = []) {
  const results: (StatementResult | Error)[] = []
  const statement = new NamedStatement({
    name: 'one',
    text: 'select id, count from things where id = $1',
    values,
    resolve: (result) => void results.push(result),
    reject: (error) => void results.push(error as Error),
  })
  return { statement, results }
}

test('a statement is parsed and described once for each connection, and what is sent together is written together', async () => {
  const connection = createConnection()
  const first = createStatement(['a'])
  first.statement.prepare(connection)
  const second = createStatement(['b'])
  second.statement.prepare(connection)
  assert.deepEqual(connection.sent.splice(0), [
    ...['cork', 'parse', 'bind a', 'describe', 'execute', 'sync'],
    // The server has not described it yet.
    ...['bind b', 'describe', 'execute', 'sync'],
  ])
  await new Promise(setImmediate)
  assert.deepEqual(connection.sent.splice(0), ['uncork'])
  for (const { statement, results } of [first, second]) {
    statement.handleRowDescription({ fields: FIELDS })
    statement.handleDataRow({ fields: ['x', '7'] })
    statement.handleDataRow({ fields: ['y', null] })
    statement.handleCommandComplete({ text: 'SELECT 2' })
    statement.handleReadyForQuery()
    const rows = [
      { id: 'x', count: 7 },
      { id: 'y', count: null },
    ]
    assert.deepEqual(results, [{ command: 'SELECT', rowCount: 2, rows }])
  }
  connection.parsedStatements.one = 'select'
  const third = createStatement(['c'])
  third.statement.prepare(connection)
  assert.deepEqual(connection.sent.splice(0), ['cork', 'bind c', 'execute', 'sync'])
  third.statement.handleDataRow({ fields: ['z', '1'] })
  third.statement.handleCommandComplete({ text: 'SELECT 1' })
  third.statement.handleReadyForQuery()
  assert.deepEqual(third.results, [{ command: 'SELECT', rowCount: 1, rows: [{ id: 'z', count: 1 }] }])
})

test('a statement that fails is described again', () => {
  const connection = createConnection()
  const failing = createStatement(['a'])
  failing.statement.prepare(connection)
  failing.statement.callback(new Error('no such table'))
  assert.deepEqual(failing.results, [new Error('no such table')])
  connection.sent.splice(0)
  createStatement(['b']).statement.prepare(connection)
  assert.deepEqual(connection.sent, ['bind b', 'describe', 'execute', 'sync'])
})

test('values are sent as texts, and counts are those of the last number', () => {
  const connection = createConnection()
  const { statement, results } = createStatement(['text', 5, true, null, undefined, 7n])
  statement.prepare(connection)
  assert.equal(connection.sent[2], 'bind text,5,true,,,7')
  statement.handleCommandComplete({ text: 'INSERT 0 3' })
  statement.handleReadyForQuery()
  assert.deepEqual(results, [{ command: 'INSERT', rowCount: 3, rows: [] }])
  assert.throws(() => createStatement([{}]), /is an object/)
})
