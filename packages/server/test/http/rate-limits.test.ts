import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeTestCertificate, mintKeyFrom } from '@countersign/testkit'
import { failReads } from '../store/mock-reads.ts'
import type { CallOptions, Reply, TestApp } from './build-app.ts'
import { outcome } from './ext-jwt-signers.fixture.ts'
import { setUpProvider } from './provider.fixture.ts'

const PATH = '/edge/client/v1/authenticate?method=ext-jwt'
const PROXY = '127.0.0.1'

/** A controller that believes a proxy on this machine, so that a test can come from any address. */
async function setUp(t: TestContext, limits: Record<string, number>, trustedProxies: readonly string[] = [PROXY]) {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-limits-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const config = join(dir, 'settings.yaml')
  writeFileSync(config, JSON.stringify({ limits, http: { trustedProxies } }))
  const provider = await setUpProvider(t, { settings: { config } })
  await provider.createSigner()
  await provider.createIdentity()
  const { privateKey } = makeTestCertificate({ kind: 'rsa2048', commonName: 'somebody else' })
  const foreign = mintKeyFrom(privateKey, 'RSA', provider.key.kid)
  return { ...provider, forged: () => provider.token({}, foreign) }
}

function signInFrom(app: TestApp, address: string, token: string, options: CallOptions = {}): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address, ...options.headers }
  return app.call('POST', PATH, undefined, { ...options, headers })
}

async function outcomes(times: number, call: () => Promise<Reply>): Promise<string[]> {
  const seen: string[] = []
  for (let nth = 0; nth < times; nth++) seen.push(outcome(await call()))
  return seen
}

const REFUSED = '401 UNAUTHORIZED'
const LIMITED = '429 SERVER_TOO_MANY_REQUESTS'

test('R-01 garbage of one address is told to wait, before its body is read, and others are served', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 5, addressPerSecond: 1 })
  const garbage = (address: string) => signInFrom(app, address, 'garbage')
  assert.deepEqual(await outcomes(7, () => garbage('192.0.2.1')), [...Array(5).fill(REFUSED), LIMITED, LIMITED])
  const reply = await garbage('192.0.2.1')
  assert.equal(reply.headers['retry-after'], '1')
  assert.deepEqual(reply.json.meta, { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' })
  assert.ok(reply.json.error.requestId)
  const unreadable = await signInFrom(app, '192.0.2.1', 'garbage', { raw: '{', headers: { 'content-type': 'text/x' } })
  assert.equal(outcome(unreadable), LIMITED, 'nothing of it was looked at')
  assert.equal(outcome(await signInFrom(app, '192.0.2.2', token())), '200')
  assert.equal(outcome(await garbage('192.0.2.2')), REFUSED)
  assert.equal((await app.call('GET', '/edge/client/v1/version')).status, 200, 'what costs nothing is not limited')
})

test('R-01 after the time that was told the address is served again', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 2, addressPerSecond: 1 })
  assert.deepEqual(await outcomes(3, () => signInFrom(app, '192.0.2.1', 'x')), [REFUSED, REFUSED, LIMITED])
  assert.equal(outcome(await signInFrom(app, '192.0.2.1', token())), LIMITED)
  app.clock.advance(1_000)
  assert.equal(outcome(await signInFrom(app, '192.0.2.1', token())), '200')
  assert.equal(outcome(await signInFrom(app, '192.0.2.1', token())), '200', 'the success took nothing')
})

test('R-01 who is refused over and over waits to be told, within his limit and over it, and nobody else does', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 350, addressPerSecond: 1 })
  const [flooding, other] = ['192.0.2.1', '192.0.2.2']
  const told: string[] = []
  const signIn = async (address: string, text: string) => {
    const seen = outcome(await signInFrom(app, address, text))
    told.push(`${address} ${seen}`)
  }
  const count = (what: string) => told.filter((line) => line === what).length
  const flood = (times: number) => Array.from({ length: times }, () => signIn(flooding, 'garbage'))

  const first = flood(340)
  await Promise.all([signIn(other, 'garbage'), signIn(other, token())])
  assert.deepEqual([count(`${other} ${REFUSED}`), count(`${other} 200`)], [1, 1])
  assert.ok(count(`${flooding} ${REFUSED}`) >= 200, 'the first are told at once')
  assert.ok(count(`${flooding} ${REFUSED}`) < 340, 'the others wait')
  const second = flood(100)
  await signIn(other, 'garbage')
  assert.ok(count(`${flooding} ${LIMITED}`) < 80, 'those over the limit wait too')
  await Promise.all([...first, ...second])
  assert.equal(count(`${flooding} ${REFUSED}`) + count(`${flooding} ${LIMITED}`), 440, 'all are told in the end')
})

test('R-01 garbage at the door of the hosted API counts with that at the others, and who is let in never does', async (t) => {
  const { app } = await setUp(t, { addressBurst: 4, addressPerSecond: 1 })
  const list = (address: string, headers: Record<string, string>) =>
    app.call('GET', '/core/v3/networks', undefined, { headers: { 'x-forwarded-for': address, ...headers } })
  const good = async (address: string) => (await list(address, { 'zt-session': app.adminSession })).status
  const bad = async (address: string) => (await list(address, { authorization: 'Bearer garbage' })).status
  const headers = { 'x-forwarded-for': '192.0.2.1', 'zt-session': app.adminSession }
  const lost = async () => (await app.call('GET', '/core/v3/networks/nothing', undefined, { headers })).status
  for (let nth = 0; nth < 8; nth++) assert.deepEqual([await good('192.0.2.1'), await lost()], [200, 404])
  assert.deepEqual([await bad('192.0.2.1'), await bad('192.0.2.1')], [401, 401])
  assert.deepEqual(await outcomes(3, () => signInFrom(app, '192.0.2.1', 'x')), [REFUSED, REFUSED, LIMITED])
  assert.equal(await bad('192.0.2.1'), 429)
  assert.deepEqual([await good('192.0.2.2'), await bad('192.0.2.2')], [200, 401])
})

test('R-02 all addresses of one /64 share one limit, the next network has its own', async (t) => {
  const { app } = await setUp(t, { addressBurst: 5, addressPerSecond: 1 })
  const seen: string[] = []
  for (let host = 0; host < 20; host++) {
    seen.push(outcome(await signInFrom(app, `2001:db8::${host.toString(16)}:1`, 'x')))
  }
  assert.deepEqual(seen, [...Array(5).fill(REFUSED), ...Array(15).fill(LIMITED)])
  assert.equal(outcome(await signInFrom(app, '2001:db8:0:1::1', 'x')), REFUSED)
})

test('R-03 a forged X-Forwarded-For changes nothing unless the proxy is trusted', async (t) => {
  const limits = { addressBurst: 3, addressPerSecond: 1 }
  for (const trusted of [[], ['192.0.2.0/24']]) {
    const { app } = await setUp(t, limits, trusted)
    const seen: string[] = []
    for (let host = 0; host < 5; host++) seen.push(outcome(await signInFrom(app, `198.51.100.${host}`, 'x')))
    assert.deepEqual(seen, [REFUSED, REFUSED, REFUSED, LIMITED, LIMITED])
  }
  const { app } = await setUp(t, limits)
  const seen: string[] = []
  // What stands left of the address that the proxy saw was written by the client himself.
  for (let host = 0; host < 5; host++) seen.push(outcome(await signInFrom(app, `203.0.113.${host}, 198.51.100.7`, 'x')))
  assert.deepEqual(seen, [REFUSED, REFUSED, REFUSED, LIMITED, LIMITED])
})

test('a client behind a proxy that writes ports is one client, whatever its port, and no other', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 3, addressPerSecond: 1 }, [PROXY, '10.0.0.0/8'])
  const [v4, v6] = ['198.51.100.7', '2001:db8:0:1::1']
  const seenFrom = async (written: (port: number) => string) => {
    const seen: string[] = []
    for (let port = 4000; port < 4005; port++) seen.push(outcome(await signInFrom(app, written(port), 'x')))
    return seen
  }
  const limited = [REFUSED, REFUSED, REFUSED, LIMITED, LIMITED]
  assert.deepEqual(await seenFrom((port) => `203.0.113.1, ${v4}:${port}`), limited)
  assert.equal(outcome(await signInFrom(app, v4, 'x')), LIMITED, 'and the same without')
  assert.deepEqual(await seenFrom((port) => `[${v6}]:${port}`), limited)
  for (const same of [`[${v6}]`, v6]) assert.equal(outcome(await signInFrom(app, same, 'x')), LIMITED, same)
  assert.deepEqual(await seenFrom((port) => `192.0.2.1:${port}, 10.1.2.3:${port}`), limited, 'by way of a second proxy')
  assert.equal(outcome(await signInFrom(app, '10.1.2.3:4000', 'x')), REFUSED, 'which is a client of its own')

  for (const [written, address] of [
    ['198.51.100.8:443', '198.51.100.8'],
    ['[2001:db8:0:2::1]:443', '2001:db8:0:2::1'],
    ['2001:db8:0:2::1', '2001:db8:0:2::1'],
  ] as const) {
    const reply = await signInFrom(app, written, token({ jti: written }))
    assert.equal(reply.json.data.ipAddress, address, reply.text)
  }
})

test('what is no address shares one limit, with a port or without', async (t) => {
  const { app } = await setUp(t, { addressBurst: 3, addressPerSecond: 1 })
  const nonsense = ['unknown', '_hidden:443', '1.2.3:443', '[192.0.2.1]:443', '[2001:db8::1', '192.0.2.1:port', '[x]']
  const seen: string[] = []
  for (const address of nonsense) seen.push(outcome(await signInFrom(app, address, 'x')))
  assert.deepEqual(seen, [...Array(3).fill(REFUSED), ...Array(4).fill(LIMITED)])
  assert.equal(outcome(await signInFrom(app, '192.0.2.1:443', 'x')), REFUSED)
})

test('R-05 successful sign-ins never count, however many come at once', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 40, addressPerSecond: 1, passwordBurst: 3 })
  const good = token()
  for (let round = 0; round < 10; round++) {
    const replies = await Promise.all(Array.from({ length: 30 }, () => signInFrom(app, '192.0.2.1', good)))
    assert.deepEqual(new Set(replies.map(outcome)), new Set(['200']))
  }
})

test('attempts under way count: a parallel flood gets no further than one after the other', async (t) => {
  const { app } = await setUp(t, { addressBurst: 10, addressPerSecond: 1 })
  const replies = await Promise.all(Array.from({ length: 100 }, () => signInFrom(app, '192.0.2.1', 'x')))
  assert.equal(replies.filter((reply) => outcome(reply) === REFUSED).length, 10)
  assert.equal(replies.filter((reply) => outcome(reply) === LIMITED).length, 90)
})

test('a token that a signer has not signed counts against that signer, and who had a good one goes on', async (t) => {
  const { app, token, forged, createSigner } = await setUp(t, { signerBurst: 3, signerPerSecond: 1 })
  await createSigner({ name: 'other', audience: 'other' })
  let host = 0
  const stranger = () => `192.0.2.${++host}`
  assert.equal(outcome(await signInFrom(app, '198.51.100.1', token())), '200')
  const bad = forged()
  assert.deepEqual(await outcomes(5, () => signInFrom(app, stranger(), bad)), [
    ...Array(3).fill(REFUSED),
    LIMITED,
    LIMITED,
  ])
  assert.equal(outcome(await signInFrom(app, stranger(), token({ jti: 'new' }))), LIMITED, 'not even checked')
  assert.equal(outcome(await signInFrom(app, '198.51.100.1', token({ jti: 'next' }))), '200', 'known by a good one')
  assert.equal(outcome(await signInFrom(app, stranger(), token({ aud: 'other' }))), '200', 'another signer')
  app.clock.advance(1_000)
  const later = token({ jti: 'later' })
  assert.deepEqual(await outcomes(2, () => signInFrom(app, stranger(), later)), ['200', '200'])
  assert.equal(outcome(await signInFrom(app, stranger(), bad)), REFUSED, 'the good ones took nothing')
  assert.equal(outcome(await signInFrom(app, stranger(), later)), '200', 'proven before: no check')
})

test('what is refused before or after its signature does not count against the signer', async (t) => {
  const { app, token } = await setUp(t, { signerBurst: 2, signerPerSecond: 1 })
  for (const claims of [{ exp: 1000 }, { aud: 'elsewhere' }, { sub: 'nobody' }]) {
    assert.deepEqual(await outcomes(5, () => signInFrom(app, '192.0.2.1', token(claims))), Array(5).fill(REFUSED))
  }
})

test('wrong passwords of one address are told to wait, right ones never count', async (t) => {
  const { app } = await setUp(t, { passwordBurst: 3, passwordPerMinute: 6 })
  const logInFrom = (address: string, password: string) => {
    const headers = { 'x-forwarded-for': address }
    const body = { username: 'admin', password }
    return app.call('POST', '/edge/client/v1/authenticate?method=password', body, { headers })
  }
  const right = 'the-test-admin-password'
  assert.deepEqual(await outcomes(10, () => logInFrom('192.0.2.1', right)), Array(10).fill('200'))
  const wrong = await outcomes(4, () => logInFrom('192.0.2.1', 'wrong-password'))
  assert.deepEqual(wrong, [...Array(3).fill('401 INVALID_AUTH'), LIMITED])
  const reply = await logInFrom('192.0.2.1', right)
  assert.deepEqual([outcome(reply), reply.headers['retry-after']], [LIMITED, '10'])
  assert.equal(outcome(await logInFrom('192.0.2.2', right)), '200')
  app.clock.advance(10_000)
  assert.equal(outcome(await logInFrom('192.0.2.1', right)), '200')
})

test('a burst of 0 means no limit', async (t) => {
  const { app, forged } = await setUp(t, { addressBurst: 0, signerBurst: 0 })
  const bad = forged()
  assert.deepEqual(new Set(await outcomes(50, () => signInFrom(app, '192.0.2.1', bad))), new Set([REFUSED]))
})

test('what fails for our own reasons counts against nobody', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 2, addressPerSecond: 1 })
  const restore = failReads(app.store, Object.assign(new Error('down'), { code: 'ECONNREFUSED' }))
  assert.deepEqual(
    await outcomes(5, () => signInFrom(app, '192.0.2.1', token())),
    Array(5).fill('503 STORE_UNAVAILABLE'),
  )
  restore()
  assert.equal(outcome(await signInFrom(app, '192.0.2.1', token())), '200')
})
