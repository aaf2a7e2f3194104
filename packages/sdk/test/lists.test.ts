import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ControllerClient, HostedClient, quoteForFilter } from '@countersign/sdk'
import { startServer } from './local-server.ts'

const queryOf = (path: string) => new URL(path, 'http://x').searchParams

test('a list is paged by the last id, in order of id, and never by offset', async (t) => {
  const all = ['a', 'b', 'c"d', 'e', 'f'].map((id) => ({ id }))
  const server = await startServer(t, ({ path }) => {
    const filter = queryOf(path).get('filter') ?? ''
    const last = /id > "((?:[^"\\]|\\.)*)"/.exec(filter)?.[1]?.replaceAll('\\', '') ?? ''
    return { json: { data: all.filter(({ id }) => id > last).slice(0, 2), meta: {} } }
  })
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  const seen: string[] = []
  for await (const { id } of client.identities.list({ filter: 'isAdmin = true or name = "x"', pageSize: 2 }))
    seen.push(id)
  assert.deepEqual(
    seen,
    all.map(({ id }) => id),
  )
  assert.deepEqual(
    server.seen.map(({ path }) => queryOf(path).get('filter')),
    [
      '(isAdmin = true or name = "x") sort by id asc limit 2',
      '(isAdmin = true or name = "x") and id > "b" sort by id asc limit 2',
      '(isAdmin = true or name = "x") and id > "e" sort by id asc limit 2',
    ],
  )
  for (const { path } of server.seen) assert.equal(queryOf(path).has('offset'), false)
})

test('no further page is fetched after the reader stops', async (t) => {
  const server = await startServer(t, () => ({ json: { data: [{ id: 'a' }, { id: 'b' }], meta: {} } }))
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  for await (const _ of client.signers.list({ pageSize: 2 })) break
  assert.equal(server.seen.length, 1)
})

test('any text can be quoted in a filter', () => {
  assert.equal(quoteForFilter('a"b\\c\n" or true'), '"a\\"b\\\\c\\n\\" or true"')
})

test('ids are encoded as one path segment', async (t) => {
  const server = await startServer(t, () => ({ json: { data: {}, meta: {} } }))
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  await client.identities.disable('../a?b/c#d')
  assert.equal(server.seen[0]?.path, '/edge/management/v1/identities/..%2Fa%3Fb%2Fc%23d/disable')
})

for (const id of ['', '.', '..']) {
  test(`the id "${id}" is refused before anything is sent, because its path would name something else`, async (t) => {
    const server = await startServer(t, () => ({ json: { data: {}, meta: {} } }))
    const controller = new ControllerClient({ baseUrl: server.url, session: 's' })
    const hosted = new HostedClient({ baseUrl: server.url, token: 't' })
    const calls = [
      (given: string) => controller.signers.get(given),
      (given: string) => controller.signers.patch(given, {}),
      (given: string) => controller.signers.delete(given),
      (given: string) => controller.signers.refreshKeys(given),
      (given: string) => controller.identities.authenticators(given),
      (given: string) => controller.identities.endSessions(given),
      (given: string) => hosted.accounts.get(given),
      (given: string) => hosted.accounts.update(given, {}),
      (given: string) => hosted.accounts.rotate(given),
      (given: string) => hosted.accounts.pickUp(given),
      (given: string) => hosted.accountJobs.repeat(given),
      (given: string) => hosted.accountJobs.dismiss(given),
      (given: string) => hosted.providers.test(given),
      (given: string) => hosted.networks.exchange(given),
    ]
    for (const call of calls) await assert.rejects(call(id), { code: 'BAD_ID', status: 0 })
    assert.equal(server.seen.length, 0)
    for (const call of calls) await call(`${id}x`)
    assert.equal(server.seen.length, calls.length)
  })
}

test('a filter with its own order and limit is sent unchanged, without another limit', async (t) => {
  const server = await startServer(t, () => ({ json: { data: [{ id: 'b' }, { id: 'a' }], meta: {} } }))
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  for (const filter of [
    'name contains "x" sort by name desc',
    'name = "x"limit 5',
    '(isAdmin = true) SKIP 1 LIMIT none',
    'sort by name',
    'isAdmin sort\tby createdAt desc skip 10 limit 5',
  ]) {
    server.seen.length = 0
    assert.deepEqual(await client.identities.all({ filter }), [{ id: 'b' }, { id: 'a' }])
    assert.deepEqual(
      server.seen.map(({ path }) => Object.fromEntries(queryOf(path))),
      [{ filter, limit: '-1' }],
    )
  }
})

test('keywords inside of a string or a name are not clauses', async (t) => {
  const server = await startServer(t, () => ({ json: { data: [{ id: 'a' }], meta: {} } }))
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  for (const filter of ['name = "a sort by b limit 5"', 'name = "a\\" limit 5"', 'tags.limit = "5"']) {
    server.seen.length = 0
    await client.identities.all({ filter })
    assert.equal(queryOf(server.seen[0]?.path ?? '').get('filter'), `(${filter}) sort by id asc limit 100`)
  }
})

test('pages of networks are followed to the last one', async (t) => {
  const server = await startServer(t, ({ path }) => {
    const number = Number(queryOf(path).get('page'))
    return { json: { _embedded: { networkList: [{ id: `n${number}` }] }, page: { totalPages: 3, number } } }
  })
  const client = new HostedClient({ baseUrl: server.url, token: 't' })
  const ids: string[] = []
  for await (const { id } of client.networks.list()) ids.push(id)
  assert.deepEqual(ids, ['n0', 'n1', 'n2'])
  const empty = await startServer(t, () => ({ json: { page: { totalPages: 0 } } }))
  for await (const _ of new HostedClient({ baseUrl: empty.url, token: 't' }).networks.list()) assert.fail()
})

test('ifMatch sends the version of getVersioned', async (t) => {
  const server = await startServer(t, () => ({ headers: { etag: '"7"' }, json: { data: { id: 'x' }, meta: {} } }))
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  const { version } = await client.authPolicies.getVersioned('x')
  await client.authPolicies.patch('x', { name: 'y' }, { ifMatch: version })
  assert.equal(server.seen[1]?.headers['if-match'], '"7"')
})

test('page passes its options and returns the total; a collection without paging is one page', async (t) => {
  const paged = await startServer(t, () => ({
    json: { _embedded: { networkList: [{ id: 'n' }] }, page: { totalElements: 41, totalPages: 3 } },
  }))
  const { networks } = new HostedClient({ baseUrl: paged.url, token: 't' })
  const options = { page: 2, size: 20, sort: 'name,desc', query: { findByName: '%plant%' } }
  assert.deepEqual(await networks.page(options), { items: [{ id: 'n' }], total: 41 })
  assert.deepEqual(Object.fromEntries(queryOf(paged.seen[0]?.path ?? '')), {
    findByName: '%plant%',
    page: '2',
    size: '20',
    sort: 'name,desc',
  })
  const whole = await startServer(t, () => ({ json: [{ id: 'a' }, { id: 'b' }] }))
  const { providers } = new HostedClient({ baseUrl: whole.url, token: 't' })
  assert.equal((await providers.page(options)).total, 2)
})

test('an error has the reason apart from the message, and the field also when only the text names it', async (t) => {
  const cause = { code: 'UNHANDLED', message: "the value 'x' for 'issuer' is invalid: too short" }
  const server = await startServer(t, ({ path }) =>
    path === '/elsewhere'
      ? { status: 400, json: { error: { code: 'BAD_REQUEST', message: 'the request is malformed' } } }
      : { status: 400, json: { error: { code: 'COULD_NOT_VALIDATE', message: 'it failed', cause } } },
  )
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  await assert.rejects(client.signers.get('x'), {
    field: 'issuer',
    reason: cause.message,
    message: `it failed: ${cause.message}`,
  })
  await assert.rejects(client.request({ method: 'GET', path: '/elsewhere' }), {
    field: undefined,
    reason: 'the request is malformed',
  })
})
