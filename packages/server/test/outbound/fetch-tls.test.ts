import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { createFakeDns, makeTestCertificate, type TestCertificate } from '@countersign/testkit'
import { makeSlowChain, makeSlowCurves } from '../attack/slow-certificates.ts'
import { assertFails, authority, createFetch, serverCertificate, startServer, tlsOf } from './fetch.fixture.ts'

const caPem = authority.pem
const PAST = new Date('2021-01-01T00:00:00Z')
const FUTURE = new Date('2039-01-01T00:00:00Z')
const { lookup } = createFakeDns({
  'login.idp.test': [['127.0.0.1']],
  'a.b.idp.test': [['127.0.0.1']],
})

test('G-12 trusts a given CA in addition to those of the system, for this signer only', async (t) => {
  const server = await startServer(t, { tls: tlsOf(serverCertificate(['login.idp.test'])) })
  const fetch = createFetch({ lookup })
  const url = server.url('login.idp.test')
  assert.equal((await fetch(url, { caPem })).body.toString(), '{"keys":[]}')
  const error = await assertFails(fetch(url), 'tls')
  assert.match(error.message, /jwksCaPem/)
  assert.equal((await fetch(server.url(), { caPem })).body.toString(), '{"keys":[]}')
  await assertFails(fetch(url, { caPem: 'no certificate' }), 'tls')
  assert.equal(server.hits, 2)
})

const REFUSED: readonly (readonly [title: string, host: string, certificate: TestCertificate])[] = [
  ['self-signed', 'login.idp.test', makeTestCertificate({ commonName: 'login.idp.test' })],
  ['expired', 'login.idp.test', serverCertificate(['login.idp.test'], { notAfter: PAST })],
  ['not valid yet', 'login.idp.test', serverCertificate(['login.idp.test'], { notBefore: FUTURE })],
  ['for another host', 'login.idp.test', serverCertificate(['other.idp.test'])],
  ['with the name in the subject only', 'login.idp.test', serverCertificate([], { commonName: 'login.idp.test' })],
  ['a wildcard two levels up', 'a.b.idp.test', serverCertificate(['*.idp.test'])],
  [
    'with dots of another alphabet',
    'a.b.idp.test',
    serverCertificate(['*\u3002b.idp.test', 'a\u3002b\uff0eidp\uff61test']),
  ],
]

for (const [title, host, certificate] of REFUSED) {
  test(`G-12 refuses a certificate that is ${title}`, async (t) => {
    const bad = await startServer(t, { tls: tlsOf(certificate) })
    const good = await startServer(t, { tls: tlsOf(serverCertificate([host])) })
    const fetch = createFetch({ lookup })
    await assertFails(fetch(bad.url(host), { caPem }), 'tls')
    assert.equal(bad.hits, 0)
    await fetch(good.url(host), { caPem })
    assert.equal(good.hits, 1)
  })
}

test('G-12 accepts a wildcard for one level', async (t) => {
  const server = await startServer(t, { tls: tlsOf(serverCertificate(['*.idp.test'])) })
  await createFetch({ lookup })(server.url('login.idp.test'), { caPem })
  assert.equal(server.hits, 1)
})

test('G-12 refuses TLS 1.1 and accepts 1.2', async (t) => {
  const certificate = tlsOf(serverCertificate([]))
  const old = await startServer(t, {
    tls: { ...certificate, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
  })
  const fine = await startServer(t, { tls: { ...certificate, maxVersion: 'TLSv1.2' } })
  await assertFails(createFetch()(old.url(), { caPem }), 'tls')
  assert.equal(old.hits, 0)
  await createFetch()(fine.url(), { caPem })
  assert.equal(fine.hits, 1)
})

test('G-12 no environment variable disables the verification', async (t) => {
  const before = process.env.NODE_TLS_REJECT_UNAUTHORIZED
  t.after(() => {
    if (before === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    else process.env.NODE_TLS_REJECT_UNAUTHORIZED = before
  })
  const server = await startServer(t, { tls: tlsOf(makeTestCertificate()) })
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  await assertFails(createFetch()(server.url()), 'tls')
  assert.equal(server.hits, 0)
})

test('G-15 gives up on a server that accepts the connection and never sends anything', async (t) => {
  const { promise: closed, resolve: onClose } = Promise.withResolvers<void>()
  const silentServer = createServer(
    (socket) =>
      void socket
        .on('error', () => {})
        .on('close', onClose)
        .resume(),
  )
  await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve))
  t.after(() => silentServer.close())
  const { port } = silentServer.address() as AddressInfo
  await assertFails(createFetch({ limits: { totalMs: 150 } })(`https://127.0.0.1:${port}/jwks`), 'timeout')
  await closed
})

const MINUTE_MS = 60_000
/** A certificate after that of the server, which nothing needs. Its name is in it twice. */
const filler = (bytes: number) => makeTestCertificate({ organization: 'x'.repeat(bytes / 2) }).pem

test('G-32 a server whose certificates are slow to check is not called again for ten minutes by the same owner', async (t) => {
  const slow = await startTlsServer(t, makeSlowChain(75))
  let now = 0
  const fetch = createFetch({ lookup, elapsedMs: () => now })
  const call = (owner: string) => assertFails(fetch(slow.url, { owner, caPem }), 'tls')
  assert.match((await call('one')).message, /chain is too long$/)
  assert.match((await call('one')).message, /chain is too long; not tried again for 600 s$/)
  now += 9 * MINUTE_MS
  assert.match((await call('one')).message, /not tried again for 60 s$/)
  assert.equal(slow.connections(), 1)
  const good = await startServer(t, { tls: tlsOf(serverCertificate(['a.b.idp.test'])) })
  await fetch(good.url('a.b.idp.test'), { owner: 'one', caPem })
  await call('two')
  assert.equal(slow.connections(), 2, 'another owner has its own result')
  now += 2 * MINUTE_MS
  await call('one')
  assert.equal(slow.connections(), 3)
})

test('G-32 M-28 certificates that take half a second each to parse are refused before that', async (t) => {
  const slow = await startTlsServer(t, makeSlowCurves(2))
  const before = process.cpuUsage()
  const { message } = await assertFails(createFetch({ lookup })(slow.url, { caPem }), 'tls')
  const cpuMs = process.cpuUsage(before).user / 1000
  assert.match(message, /a key that is not used in TLS/)
  assert.ok(cpuMs < 400, `${cpuMs} ms`)
})

test('G-32 M-28 a server does not choose a prime of its own for the key exchange', async (t) => {
  const certificate = tlsOf(serverCertificate([], { kind: 'rsa2048', issuer: authority }))
  const serve = (ciphers: string) =>
    startServer(t, { tls: { ...certificate, ciphers, dhparam: 'auto', maxVersion: 'TLSv1.2' } })
  const fetch = createFetch()
  await assertFails(fetch((await serve('DHE-RSA-AES128-GCM-SHA256')).url(), { caPem }), 'tls')
  await fetch((await serve('ECDHE-RSA-AES128-GCM-SHA256')).url(), { caPem })
})

test('G-32 M-28 a server of TLS 1.2 does not renegotiate, with other certificates than those that were checked', async (t) => {
  const renegotiated = Promise.withResolvers<string>()
  const server = createTlsServer({ ...tlsOf(serverCertificate([])), maxVersion: 'TLSv1.2' }, (socket) => {
    socket.on('error', ({ message }) => renegotiated.resolve(message)).resume()
    socket.once('data', () => socket.renegotiate({}, (error) => renegotiated.resolve(error?.message ?? 'renegotiated')))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const fetching = createFetch({ limits: { totalMs: 2_000 } })(`https://127.0.0.1:${port}/`, { caPem })
  fetching.catch(() => {})
  assert.match(await renegotiated.promise, /no renegotiation/)
  await fetching.catch(() => {})
})

test('G-32 a valid certificate with a long chain is refused, one with a short chain is not', async (t) => {
  const { cert, key } = tlsOf(serverCertificate([]))
  const [long, short] = await Promise.all(
    [33_000, 20_000].map((bytes) => startServer(t, { tls: { cert: `${cert}\n${filler(bytes)}`, key } })),
  )
  const fetch = createFetch()
  const error = await assertFails(fetch(long?.url() ?? '', { caPem }), 'tls')
  assert.match(error.message, /chain is too long/)
  assert.equal(long?.hits, 0)
  await fetch(short?.url() ?? '', { owner: 'one', caPem })
  assert.equal(short?.hits, 1)
})

test('G-32 a handshake that fails after many certificates counts, whatever the failure', async (t) => {
  for (const [bytes, isRefused] of [
    [9_000, true],
    [1_000, false],
  ] as const) {
    const { cert, key } = tlsOf(serverCertificate(['other.idp.test'], { notAfter: PAST }))
    const server = await startTlsServer(t, { cert: `${cert}\n${filler(bytes)}`, key: String(key) })
    const fetch = createFetch({ lookup })
    for (let nth = 0; nth < 2; nth++) {
      const { message } = await assertFails(fetch(server.url, { caPem }), 'tls')
      assert.match(message, /has expired/)
    }
    assert.equal(server.connections(), isRefused ? 1 : 2)
  }
})

test('G-32 a handshake that stops after many certificates counts', async (t) => {
  for (const [bytes, connections] of [
    [9_000, 1],
    [1_000, 2],
  ] as const) {
    let opened = 0
    // The beginning of a handshake message of 64 KiB, in records.
    const record = (content: Buffer) =>
      Buffer.concat([Buffer.from([0x16, 3, 3, content.length >> 8, content.length & 255]), content])
    const server = createServer((socket) => {
      opened++
      socket.on('error', () => {})
      socket.write(record(Buffer.concat([Buffer.from([2, 0, 0xff, 0]), Buffer.alloc(bytes)])))
    }).listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const fetch = createFetch({ lookup, limits: { totalMs: 1_000 } })
    for (let nth = 0; nth < 2; nth++) await assert.rejects(fetch(`https://login.idp.test:${port}/`, { caPem }))
    assert.equal(opened, connections)
  }
})

test('G-32 the certificates that servers send are limited for each owner', async (t) => {
  const { cert, key } = tlsOf(serverCertificate([]))
  const server = await startServer(t, { tls: { cert: `${cert}\n${filler(25_000)}`, key } })
  let now = 0
  const fetch = createFetch({ elapsedMs: () => now })
  let fetched = 0
  const untilRefused = async (owner: string): Promise<void> => {
    for (; fetched < 100; fetched++) await fetch(server.url(), { owner, caPem })
  }
  await assertFails(untilRefused('one'), 'tls')
  assert.ok(fetched >= 28 && fetched < 40, String(fetched))
  now += 1_000
  await assertFails(untilRefused('one'), 'tls')
  await fetch(server.url(), { owner: 'two', caPem })
  now += MINUTE_MS
  await fetch(server.url(), { owner: 'one', caPem })
})

/** Counts connections, also those that fail. */
async function startTlsServer(t: TestContext, tls: { cert: string; key: string }) {
  let connections = 0
  const server = createTlsServer(tls)
  server.on('connection', () => connections++).on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `https://login.idp.test:${port}/`, connections: () => connections }
}
