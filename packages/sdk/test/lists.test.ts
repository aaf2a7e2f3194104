import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ControllerClient, CountersignError, HostedClient, quoteForFilter } from '@countersign/sdk'
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

test('list takes filter, sort and limit; items of a sorted list never repeat', async (t) => {
  const names = ['e', 'd', 'c', 'b', 'a']
  const server = await startServer(t, ({ path }, count) => {
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(queryOf(path).get(name)))
    // After the first page an item is created that comes first, so that the others move on.
    const now = count > 1 ? ['f', ...names] : names
    const data = now.slice(offset, (offset ?? 0) + (limit ?? 0)).map((id) => ({ id }))
    return { json: { data, meta: { pagination: { totalCount: now.length } } } }
  })
  const { identities } = new ControllerClient({ baseUrl: server.url, session: 's' })
  const filter = 'isAdmin = true'
  const all = await identities.all({ filter, sort: 'name desc', pageSize: 2 })
  assert.deepEqual(
    all.map(({ id }) => id),
    names,
  )
  assert.deepEqual(Object.fromEntries(queryOf(server.seen[1]?.path ?? '')), {
    ...{ filter, sort: 'name desc', limit: '2', offset: '2' },
  })
  server.seen.length = 0
  assert.equal((await identities.all({ sort: 'name desc', limit: 3 })).length, 3)
  assert.deepEqual(
    server.seen.map(({ path }) => queryOf(path).get('limit')),
    ['3'],
    'no more is requested than is wanted',
  )
  assert.deepEqual(await identities.all({ limit: 0 }), [])
  for (const limit of [-1, 1.5, Number.NaN]) await assert.rejects(identities.all({ limit }), TypeError)
})

test('a limit without a sort keeps the order of ids, and cuts a filter with an order of its own', async (t) => {
  const server = await startServer(t, () => ({ json: { data: [{ id: 'a' }, { id: 'b' }, { id: 'c' }], meta: {} } }))
  const { identities } = new ControllerClient({ baseUrl: server.url, session: 's' })
  assert.equal((await identities.all({ limit: 3 })).length, 3)
  assert.equal(queryOf(server.seen[0]?.path ?? '').get('filter'), 'true sort by id asc limit 3')
  assert.equal((await identities.all({ filter: 'sort by name', limit: 2 })).length, 2)
  assert.equal(server.seen.length, 2)
})

test('lists of the hosted API take sort and limit', async (t) => {
  const server = await startServer(t, ({ path }) => {
    const size = Number(queryOf(path).get('size'))
    const networkList = Array.from({ length: size }, (_, id) => ({ id: String(id) }))
    return { json: { _embedded: { networkList }, page: { totalElements: 500, totalPages: Math.ceil(500 / size) } } }
  })
  const { networks } = new HostedClient({ baseUrl: server.url, token: 't' })
  assert.equal((await networks.all({ sort: 'createdAt desc', limit: 5 })).length, 5)
  assert.deepEqual(Object.fromEntries(queryOf(server.seen[0]?.path ?? '')), {
    ...{ page: '0', size: '5', sort: 'createdAt,desc' },
  })
  assert.equal((await networks.all({ limit: 205 })).length, 205)
  assert.equal(server.seen.length, 3)
})

test('a signer has its keyStatus when it is read alone', async (t) => {
  const keyStatus = {
    source: 'jwks',
    keys: [],
    lastSuccessAt: null,
    lastError: 'x',
    nextRefreshAt: null,
    stale: true,
    warnings: ['w'],
  }
  const server = await startServer(t, () => ({ json: { data: { id: 'a', keyStatus }, meta: {} } }))
  const { signers } = new ControllerClient({ baseUrl: server.url, session: 's' })
  // The types need no check for undefined here.
  assert.deepEqual((await signers.get('a')).keyStatus.warnings, ['w'])
  assert.equal((await signers.getVersioned('a')).item.keyStatus.lastError, 'x')
  assert.equal((await signers.refreshKeys('a')).stale, true)
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

test('an error has the cause of the server as it is on the wire, and a hint', async (t) => {
  const cause = { field: 'name', reason: 'name must be unique', value: 'x' }
  const responses: Readonly<Record<string, object>> = {
    duplicate: { error: { code: 'COULD_NOT_VALIDATE', message: 'it failed', cause } },
    bare: { error: { code: 'INVALID_FILTER', message: 'it failed', cause: null } },
    odd: { error: { code: 'constructor', message: 'it failed' } },
  }
  const server = await startServer(t, ({ path }) => ({ status: 400, json: responses[path.slice(1)] }))
  const client = new ControllerClient({ baseUrl: server.url, session: 's' })
  const errorOf = async (name: string): Promise<CountersignError> => {
    const error = await client.request({ method: 'GET', path: `/${name}` }).catch((error: unknown) => error)
    assert.ok(error instanceof CountersignError)
    return error
  }
  const duplicate = await errorOf('duplicate')
  assert.deepEqual(duplicate.cause, cause)
  assert.equal(duplicate.hint, 'the value is in use already: choose another, or change the item that has it')
  const bare = await errorOf('bare')
  assert.equal(bare.cause, undefined)
  assert.match(bare.hint ?? '', /syntax of the filter/)
  assert.equal((await errorOf('odd')).hint, undefined)

  const hosted = await startServer(t, () => ({
    status: 403,
    json: { errors: ['not allowed'], status: { label: 'FORBIDDEN' }, traceId: 't1' },
  }))
  const { networks } = new HostedClient({ baseUrl: hosted.url, token: 't' })
  await assert.rejects(networks.get('n'), {
    cause: { errors: ['not allowed'], status: { label: 'FORBIDDEN' }, traceId: 't1' },
    hint: 'ask an administrator for the permission',
  })

  const unreachable = new ControllerClient({ baseUrl: 'https://127.0.0.1:9', retries: 0 })
  const network = await unreachable.version().catch((error: unknown) => error)
  assert.ok(network instanceof CountersignError && network.cause instanceof Error && network.hint !== undefined)
})

test('the audit record of a node is read in short ranges up to its head, also where many entries are missing', async (t) => {
  const kept = [1200, 1201, 1205, 1700, 1701, 4000, 4001].map((sequence) => ({ id: `e${sequence}`, sequence }))
  const server = await startServer(t, ({ path }) => {
    const filter = queryOf(path).get('filter') ?? ''
    const [, node, after, last, limit] =
      /^node = "(.*)" and sequence > (\d+) and sequence <= (\d+) sort by sequence limit (\d+)$/.exec(filter) ?? []
    assert.equal(node, 'one', filter)
    const found = kept.filter(({ sequence }) => sequence > Number(after) && sequence <= Number(last))
    return { json: { data: found.slice(0, Number(limit)), meta: { pagination: { totalCount: found.length } } } }
  })
  const { audit } = new ControllerClient({ baseUrl: server.url, session: 's' })
  const read = async (sequence: number) => {
    const sequences: number[] = []
    for await (const entry of audit.upTo({ node: 'one', sequence })) sequences.push(entry.sequence)
    return sequences
  }
  assert.deepEqual(
    await read(4000),
    kept.map(({ sequence }) => sequence).filter((sequence) => sequence <= 4000),
  )
  assert.ok(server.seen.length < 10, String(server.seen.length))
  assert.deepEqual(await read(100), [])
  assert.deepEqual(await read(0), [])
})
