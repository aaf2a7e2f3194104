import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { createFakeDns, makeTestCertificate, type TestCertificate } from '@countersign/testkit'
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
