import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { JwksResponse } from '@countersign/testkit'
import { fetchLimits } from '../../src/outbound/fetch-document.ts'
import type { OutboundReason } from '../../src/outbound/outbound-error.ts'
import { assertFails, createFetch, DEFAULT_SETTINGS, startServer } from './fetch.fixture.ts'

const KEYS = '{"keys":[]}'
const KIB = 1024

test('G-15 G-13 G-08 the default limits are 5 s in all, 2 s to connect, 256 KiB and no redirect', () => {
  assert.deepEqual(fetchLimits(DEFAULT_SETTINGS.jwks), {
    totalMs: 5_000,
    connectMs: 2_000,
    maxBytes: 262_144,
    maxRedirects: 0,
  })
})

test('sends a GET for one document on a new connection, and closes it', async (t) => {
  const server = await startServer(t)
  const fetch = createFetch()
  for (let round = 0; round < 2; round++) {
    const { body, headers } = await fetch(`${server.url()}?tenant=a`)
    assert.equal(body.toString(), KEYS)
    assert.equal(headers['content-type'], 'application/json')
  }
  await server.whenIdle()
  assert.equal(server.connections, 2)
  const [{ method, path, headers } = assert.fail()] = server.requests
  assert.equal(method, 'GET')
  assert.equal(path, '/jwks?tenant=a')
  assert.equal(headers.accept, 'application/json')
  assert.equal(headers['accept-encoding'], 'identity')
  assert.equal(headers.connection, 'close')
  assert.equal(headers.host, `127.0.0.1:${server.port}`)
})

interface Case {
  readonly title: string
  readonly reason: OutboundReason
  readonly bad: readonly JwksResponse[]
  readonly good: JwksResponse
}

const CASES: readonly Case[] = [
  {
    title: 'G-16 W-42 accepts only status 200',
    reason: 'status',
    bad: [201, 203, 204, 206, 304, 400, 401, 404, 418, 500, 503].map((status) => ({
      status,
      body: status === 204 || status === 304 ? '' : KEYS,
    })),
    good: { status: 200, body: KEYS },
  },
  {
    title: 'G-17 W-42 accepts only the requested media types',
    reason: 'media-type',
    bad: ['text/html', 'text/plain', 'application/jsonp', 'application/json/x', ''].map((type) => ({
      headers: { 'content-type': type },
    })),
    good: { headers: { 'content-type': 'Application/JSON ; charset=utf-8' } },
  },
  {
    title: 'G-14 refuses an encoded body although identity was requested',
    reason: 'encoding',
    bad: [
      { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(50 * KIB * KIB)) },
      { headers: { 'content-encoding': Array(1000).fill('gzip').join(',') } },
      { headers: { 'content-encoding': 'br' } },
    ],
    good: { headers: { 'content-encoding': 'identity' } },
  },
  {
    title: 'G-13 accepts 256 KiB and not a byte more, with or without a declared length',
    reason: 'too-large',
    bad: [
      { body: 'x'.repeat(256 * KIB + 1), headers: { 'content-length': String(256 * KIB + 1) } },
      { body: 'x'.repeat(256 * KIB + 1), headers: { 'transfer-encoding': 'chunked' } },
      { body: 'x'.repeat(KIB * KIB) },
    ],
    good: { body: 'x'.repeat(256 * KIB) },
  },
  {
    title: 'G-28 refuses responses that are not valid HTTP',
    reason: 'protocol',
    bad: [
      {
        raw: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nContent-Length: 11\r\n\r\n{"keys":[]}',
      },
      {
        raw: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n{"keys":[]}\r\n0\r\n\r\n',
      },
      { raw: 'SSH-2.0-OpenSSH_9.9\r\n' },
      { raw: 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n' },
      { raw: `HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}\r\n\r\n` },
    ],
    good: { raw: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"keys":[]}' },
  },
]

for (const { title, reason, bad, good } of CASES) {
  test(title, async (t) => {
    const server = await startServer(t)
    const fetch = createFetch()
    for (const response of bad) {
      server.respondWith(response)
      await assertFails(fetch(server.url()), reason)
    }
    server.respondWith(good)
    await fetch(server.url())
    assert.equal(server.hits, bad.length + 1)
    await server.whenIdle()
  })
}

test('G-16 the message names the status and quotes nothing of the response', async (t) => {
  const server = await startServer(t)
  server.respondWith({ status: 503, body: 'a secret of the inner network' })
  const error = await assertFails(createFetch()(server.url()), 'status')
  assert.equal(error.status, 503)
  assert.match(error.message, /HTTP 503/)
  server.respondWith({ headers: { 'content-type': 'secret; secret of the inner network' } })
  const other = await assertFails(createFetch()(server.url()), 'media-type')
  assert.equal(`${error.message}${other.message}`.includes('inner network'), false)
})

test('G-08 W-41 follows no redirect by default, wherever it leads', async (t) => {
  const server = await startServer(t)
  const canary = await startServer(t)
  for (const status of [301, 302, 303, 307, 308]) {
    for (const location of [canary.url(), server.url(), 'http://169.254.169.254/', '/elsewhere']) {
      server.respondWith({ status, headers: { location } })
      const error = await assertFails(createFetch()(server.url()), 'redirect')
      assert.match(error.message, new RegExp(`HTTP ${status}`))
    }
  }
  assert.equal(server.hits, 20)
  assert.equal(canary.connections, 0)
  await createFetch()(canary.url())
})

test('W-41 follows as many redirects as allowed, for reads only', async (t) => {
  const last = await startServer(t)
  const middle = await startServer(t)
  const first = await startServer(t)
  first.respondWith({ status: 302, headers: { location: middle.url() } })
  middle.respondWith({ status: 308, headers: { location: last.url() } })
  const { body } = await createFetch({ limits: { maxRedirects: 2 } })(first.url())
  assert.equal(body.toString(), KEYS)
  await assertFails(createFetch({ limits: { maxRedirects: 1 } })(first.url()), 'redirect')
  assert.equal(last.hits, 1)
  middle.respondWith({ status: 302, headers: { location: first.url() } })
  await assertFails(createFetch({ limits: { maxRedirects: 5 } })(first.url()), 'redirect')
  assert.equal(first.hits + middle.hits, 2 + 2 + 6)
})

test('G-33 a credential is not sent to the other origin of a redirect, and not back from it', async (t) => {
  const first = await startServer(t)
  const second = await startServer(t)
  const authorization = 'Bearer of-the-first'
  const fetch = createFetch({ limits: { maxRedirects: 3 } })
  const seen = ({ requests }: typeof first) => requests.map(({ headers }) => headers.authorization)
  first.respondWith({ status: 302, headers: { location: '/elsewhere' } }, {})
  await fetch(first.url(), { authorization })
  assert.deepEqual(seen(first), [authorization, authorization], 'the same origin')
  first.respondWith({ status: 302, headers: { location: second.url() } }, {})
  second.respondWith({ status: 302, headers: { location: first.url() } })
  await fetch(first.url(), { authorization })
  assert.deepEqual([seen(first).slice(2), seen(second)], [[authorization, undefined], [undefined]])
})

test('G-08 W-41 a redirect to a forbidden address is not followed', async (t) => {
  const canary = await startServer(t)
  const server = await startServer(t)
  const follow = createFetch({ limits: { maxRedirects: 5 } })
  const refused = [
    'http://169.254.169.254/latest',
    `http://elsewhere.example:${canary.port}/`,
    'file:///etc/passwd',
    `http://user:secret@127.0.0.1:${canary.port}/`,
  ]
  for (const location of refused) {
    server.respondWith({ status: 302, headers: { location } })
    const error = await assertFails(follow(server.url()), 'redirect')
    assert.ok(!error.message.includes(location), 'the location is not repeated')
  }
  server.respondWith({ status: 302, headers: { location: 'https://169.254.169.254/' } })
  await assertFails(follow(server.url()), 'redirect')
  assert.equal(canary.connections, 0)
  server.respondWith({ status: 302, headers: { location: canary.url() } })
  await follow(server.url())
})

test('G-13 stops reading an endless body, and closes the connection', async (t) => {
  const server = await startServer(t)
  server.respondWith({ body: Buffer.alloc(64 * KIB, 'x'), isEndless: true })
  await assertFails(createFetch()(server.url()), 'too-large')
  await server.whenIdle()
  // The system's loopback buffers add to what was read.
  assert.ok(server.sentBytes < 32 * KIB * KIB, `${server.sentBytes} bytes were sent`)
})

test('G-15 W-42 gives up when the total time is over: endless headers, a dripping body', async (t) => {
  const server = await startServer(t)
  const impatient = createFetch({ limits: { totalMs: 250 } })
  const slow: readonly JwksResponse[] = [
    { raw: 'HTTP/1.1 200 OK\r\nX-Header: and then' },
    { raw: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"keys"' },
    { body: `${KEYS}${' '.repeat(1000)}`, dripMs: 20 },
    { after: new Promise(() => {}) },
  ]
  for (const response of slow) {
    server.respondWith(response)
    await assertFails(impatient(server.url()), 'timeout')
  }
  await server.whenIdle()
  server.respondWith({ body: KEYS, dripMs: 5 })
  await createFetch()(server.url())
})

test('G-28 bytes after the body are discarded: the next fetch has a new connection', async (t) => {
  const server = await startServer(t)
  const head =
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: keep-alive\r\nContent-Length: 11\r\n\r\n'
  server.respondWith({ raw: `${head}{"keys":[]}${head}{"keys":[1]}` }, { body: '{"keys":[2]}' })
  const fetch = createFetch()
  assert.equal((await fetch(server.url())).body.toString(), KEYS)
  assert.equal((await fetch(server.url())).body.toString(), '{"keys":[2]}')
  assert.equal(server.connections, 2)
})

test('G-29 cookies and other persistent state are ignored', async (t) => {
  const server = await startServer(t)
  server.respondWith({
    headers: {
      'set-cookie': 'a=b; Path=/',
      'strict-transport-security': 'max-age=9999',
      'alt-svc': 'h2=":1"',
      etag: '"1"',
    },
  })
  const fetch = createFetch()
  await fetch(server.url())
  await fetch(server.url())
  assert.equal(server.hits, 2)
  assert.deepEqual(
    Object.keys(server.requests[1]?.headers ?? {}).sort(),
    Object.keys(server.requests[0]?.headers ?? {}).sort(),
  )
  assert.equal(server.requests[1]?.headers.cookie, undefined)
})

test('G-30 proxies of the environment are not used', async (t) => {
  const proxy = await startServer(t)
  const server = await startServer(t)
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']
  const before = names.map((name) => process.env[name])
  t.after(() => {
    names.forEach((name, index) => {
      if (before[index] === undefined) delete process.env[name]
      else process.env[name] = before[index]
    })
  })
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : `http://127.0.0.1:${proxy.port}`
  await createFetch()(server.url())
  assert.equal(server.hits, 1)
  assert.equal(proxy.connections, 0)
})

test('a cancelled fetch ends at once', async (t) => {
  const server = await startServer(t)
  server.respondWith({ after: new Promise(() => {}) })
  const stop = new AbortController()
  const work = createFetch()(server.url(), { signal: stop.signal })
  while (server.hits === 0) await new Promise(setImmediate)
  stop.abort()
  await assertFails(work, 'stopped')
  await server.whenIdle()
  await assertFails(createFetch()(server.url(), { signal: AbortSignal.abort() }), 'stopped')
  assert.equal(server.hits, 1)
})

test('G-15 a few interim responses are passed over, and a server that sends them without end is not listened to', async (t) => {
  const server = await startServer(t)
  const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'
  const last = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n${KEYS}`
  const fetch = createFetch()
  server.respondWith({ raw: interim.repeat(8) + last }, { raw: interim.repeat(9) })
  assert.equal((await fetch(server.url())).body.toString(), KEYS)
  await assertFails(fetch(server.url()), 'protocol')
  await server.whenIdle()
})
