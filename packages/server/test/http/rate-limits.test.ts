import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeTestCertificate, mintKeyFrom } from '@countersign/testkit'
import { failReads } from '../store/mock-reads.ts'
import type { CallOptions, Reply, TestApp } from './build-app.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { setUpProvider } from './provider.fixture.ts'

const PATH = '/edge/client/v1/authenticate?method=ext-jwt'
const PROXY = '127.0.0.1'

/** A controller that trusts a proxy on this machine, so that a test can use any client address. */
async function setUp(t: TestContext, limits: Record<string, number>, trustedProxies: readonly string[] = [PROXY]) {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-limits-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const config = join(dir, 'settings.yaml')
  writeFileSync(config, JSON.stringify({ limits, http: { trustedProxies } }))
  const provider = await setUpProvider(t, { settings: { config }, isAlone: 'controller' })
  await provider.createSigner()
  await provider.createIdentity()
  const { privateKey } = makeTestCertificate({ kind: 'rsa2048', commonName: 'other' })
  const foreign = mintKeyFrom(privateKey, 'RSA', provider.key.kid)
  return { ...provider, forged: () => provider.token({}, foreign) }
}

function logInWithTokenFrom(app: TestApp, address: string, token: string, options: CallOptions = {}): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': address, ...options.headers }
  return app.call('POST', PATH, undefined, { ...options, headers })
}

async function repeat(times: number, call: () => Promise<Reply>): Promise<string[]> {
  const seen: string[] = []
  for (let nth = 0; nth < times; nth++) seen.push(summarize(await call()))
  return seen
}

const REFUSED = '401 UNAUTHORIZED'
const LIMITED = '429 SERVER_TOO_MANY_REQUESTS'

test('L-14 filters on the public list of signers are limited per address, the whole list is not', async (t) => {
  const { app } = await setUp(t, { queryBurst: 5, queryPerSecond: 1 })
  const list = (address: string, query: string) =>
    app.call('GET', `/edge/client/v1/external-jwt-signers${query}`, undefined, {
      headers: { 'x-forwarded-for': address },
    })
  const filtered = (address: string) => list(address, '?filter=name+contains+%22i%22')
  assert.deepEqual(await repeat(7, () => filtered('192.0.2.1')), [...Array(5).fill('200'), LIMITED, LIMITED])
  assert.equal(summarize(await list('192.0.2.1', '')), '200')
  assert.equal(summarize(await filtered('192.0.2.2')), '200')
})

test('R-01 invalid tokens of one address get 429 before the body is read, and other addresses are served', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 5, addressPerSecond: 1 })
  const garbage = (address: string) => logInWithTokenFrom(app, address, 'garbage')
  assert.deepEqual(await repeat(7, () => garbage('192.0.2.1')), [...Array(5).fill(REFUSED), LIMITED, LIMITED])
  const reply = await garbage('192.0.2.1')
  assert.equal(reply.headers['retry-after'], '1')
  assert.deepEqual(reply.json.meta, { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' })
  assert.ok(reply.json.error.requestId)
  const unreadable = await logInWithTokenFrom(app, '192.0.2.1', 'garbage', {
    raw: '{',
    headers: { 'content-type': 'text/x' },
  })
  assert.equal(summarize(unreadable), LIMITED, 'nothing of it was parsed')
  assert.equal(summarize(await logInWithTokenFrom(app, '192.0.2.2', token())), '200')
  assert.equal(summarize(await garbage('192.0.2.2')), REFUSED)
  assert.equal((await app.call('GET', '/edge/client/v1/version')).status, 200, 'cheap requests are not limited')
})

test('R-01 an address is served again after the Retry-After time', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 2, addressPerSecond: 1 })
  assert.deepEqual(await repeat(3, () => logInWithTokenFrom(app, '192.0.2.1', 'x')), [REFUSED, REFUSED, LIMITED])
  assert.equal(summarize(await logInWithTokenFrom(app, '192.0.2.1', token())), LIMITED)
  app.clock.advance(1_000)
  assert.equal(summarize(await logInWithTokenFrom(app, '192.0.2.1', token())), '200')
  assert.equal(summarize(await logInWithTokenFrom(app, '192.0.2.1', token())), '200', 'a success does not count')
})

test('R-01 refusals to an address that fails repeatedly are delayed, and no others', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 350, addressPerSecond: 1 })
  const [flooding, other] = ['192.0.2.1', '192.0.2.2']
  const responses: string[] = []
  const logIn = async (address: string, text: string) => {
    const seen = summarize(await logInWithTokenFrom(app, address, text))
    responses.push(`${address} ${seen}`)
  }
  const count = (what: string) => responses.filter((line) => line === what).length
  const flood = (times: number) => Array.from({ length: times }, () => logIn(flooding, 'garbage'))

  const first = flood(340)
  await Promise.all([logIn(other, 'garbage'), logIn(other, token())])
  assert.deepEqual([count(`${other} ${REFUSED}`), count(`${other} 200`)], [1, 1])
  assert.ok(count(`${flooding} ${REFUSED}`) >= 200, 'the first are sent at once')
  assert.ok(count(`${flooding} ${REFUSED}`) < 340, 'the others wait')
  const second = flood(100)
  await logIn(other, 'garbage')
  assert.ok(count(`${flooding} ${LIMITED}`) < 80, 'those over the limit wait too')
  await Promise.all([...first, ...second])
  assert.equal(count(`${flooding} ${REFUSED}`) + count(`${flooding} ${LIMITED}`), 440, 'all are sent in the end')
})

test('R-01 failures at the hosted API count with those of the other APIs, and successes never do', async (t) => {
  const { app } = await setUp(t, { addressBurst: 4, addressPerSecond: 1 })
  const list = (address: string, headers: Record<string, string>) =>
    app.call('GET', '/core/v3/networks', undefined, { headers: { 'x-forwarded-for': address, ...headers } })
  const good = async (address: string) => (await list(address, { 'zt-session': app.adminSession })).status
  const bad = async (address: string) => (await list(address, { authorization: 'Bearer garbage' })).status
  const headers = { 'x-forwarded-for': '192.0.2.1', 'zt-session': app.adminSession }
  const missing = async () => (await app.call('GET', '/core/v3/networks/nothing', undefined, { headers })).status
  for (let nth = 0; nth < 8; nth++) assert.deepEqual([await good('192.0.2.1'), await missing()], [200, 404])
  assert.deepEqual([await bad('192.0.2.1'), await bad('192.0.2.1')], [401, 401])
  assert.deepEqual(await repeat(3, () => logInWithTokenFrom(app, '192.0.2.1', 'x')), [REFUSED, REFUSED, LIMITED])
  assert.equal(await bad('192.0.2.1'), 429)
  assert.deepEqual([await good('192.0.2.2'), await bad('192.0.2.2')], [200, 401])
})

test('R-02 all addresses of one /64 share one limit, the next network has its own', async (t) => {
  const { app } = await setUp(t, { addressBurst: 5, addressPerSecond: 1 })
  const seen: string[] = []
  for (let host = 0; host < 20; host++) {
    seen.push(summarize(await logInWithTokenFrom(app, `2001:db8::${host.toString(16)}:1`, 'x')))
  }
  assert.deepEqual(seen, [...Array(5).fill(REFUSED), ...Array(15).fill(LIMITED)])
  assert.equal(summarize(await logInWithTokenFrom(app, '2001:db8:0:1::1', 'x')), REFUSED)
})

test('R-03 a forged X-Forwarded-For has no effect unless the proxy is trusted', async (t) => {
  const limits = { addressBurst: 3, addressPerSecond: 1 }
  for (const trusted of [[], ['192.0.2.0/24']]) {
    const { app } = await setUp(t, limits, trusted)
    const seen: string[] = []
    for (let host = 0; host < 5; host++) seen.push(summarize(await logInWithTokenFrom(app, `198.51.100.${host}`, 'x')))
    assert.deepEqual(seen, [REFUSED, REFUSED, REFUSED, LIMITED, LIMITED])
  }
  const { app } = await setUp(t, limits)
  const seen: string[] = []
  // The client itself wrote everything to the left of the address that the proxy saw.
  for (let host = 0; host < 5; host++)
    seen.push(summarize(await logInWithTokenFrom(app, `203.0.113.${host}, 198.51.100.7`, 'x')))
  assert.deepEqual(seen, [REFUSED, REFUSED, REFUSED, LIMITED, LIMITED])
})

test('a client behind a proxy that writes ports counts by its address, whatever the port', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 3, addressPerSecond: 1 }, [PROXY, '10.0.0.0/8'])
  const [v4, v6] = ['198.51.100.7', '2001:db8:0:1::1']
  const seenFrom = async (written: (port: number) => string) => {
    const seen: string[] = []
    for (let port = 4000; port < 4005; port++) seen.push(summarize(await logInWithTokenFrom(app, written(port), 'x')))
    return seen
  }
  const limited = [REFUSED, REFUSED, REFUSED, LIMITED, LIMITED]
  assert.deepEqual(await seenFrom((port) => `203.0.113.1, ${v4}:${port}`), limited)
  assert.equal(summarize(await logInWithTokenFrom(app, v4, 'x')), LIMITED, 'the same without a port')
  assert.deepEqual(await seenFrom((port) => `[${v6}]:${port}`), limited)
  for (const same of [`[${v6}]`, v6]) assert.equal(summarize(await logInWithTokenFrom(app, same, 'x')), LIMITED, same)
  assert.deepEqual(await seenFrom((port) => `192.0.2.1:${port}, 10.1.2.3:${port}`), limited, 'through a second proxy')
  assert.equal(
    summarize(await logInWithTokenFrom(app, '10.1.2.3:4000', 'x')),
    REFUSED,
    'the proxy itself is another client',
  )

  for (const [written, address] of [
    ['198.51.100.8:443', '198.51.100.8'],
    ['[2001:db8:0:2::1]:443', '2001:db8:0:2::1'],
    ['2001:db8:0:2::1', '2001:db8:0:2::1'],
  ] as const) {
    const reply = await logInWithTokenFrom(app, written, token({ jti: written }))
    assert.equal(reply.json.data.ipAddress, address, reply.text)
  }
})

test('values that are not addresses share one limit, with a port or without', async (t) => {
  const { app } = await setUp(t, { addressBurst: 3, addressPerSecond: 1 })
  const nonsense = ['unknown', '_hidden:443', '1.2.3:443', '[192.0.2.1]:443', '[2001:db8::1', '192.0.2.1:port', '[x]']
  const seen: string[] = []
  for (const address of nonsense) seen.push(summarize(await logInWithTokenFrom(app, address, 'x')))
  assert.deepEqual(seen, [...Array(3).fill(REFUSED), ...Array(4).fill(LIMITED)])
  assert.equal(summarize(await logInWithTokenFrom(app, '192.0.2.1:443', 'x')), REFUSED)
})

test('R-05 successful logins never count, however many run in parallel', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 40, addressPerSecond: 1, passwordBurst: 3 })
  const good = token()
  for (let round = 0; round < 10; round++) {
    const replies = await Promise.all(Array.from({ length: 30 }, () => logInWithTokenFrom(app, '192.0.2.1', good)))
    assert.deepEqual(new Set(replies.map(summarize)), new Set(['200']))
  }
})

test('attempts under way count: a parallel flood gets no more attempts than a sequential one', async (t) => {
  const { app } = await setUp(t, { addressBurst: 10, addressPerSecond: 1 })
  const replies = await Promise.all(Array.from({ length: 100 }, () => logInWithTokenFrom(app, '192.0.2.1', 'x')))
  assert.equal(replies.filter((reply) => summarize(reply) === REFUSED).length, 10)
  assert.equal(replies.filter((reply) => summarize(reply) === LIMITED).length, 90)
})

test('a token with a wrong signature counts against its signer, and addresses with a good one continue', async (t) => {
  const { app, token, forged, createSigner } = await setUp(t, { signerBurst: 3, signerPerSecond: 1 })
  await createSigner({ name: 'other', audience: 'other' })
  let host = 0
  const newAddress = () => `192.0.2.${++host}`
  assert.equal(summarize(await logInWithTokenFrom(app, '198.51.100.1', token())), '200')
  const bad = forged()
  assert.deepEqual(await repeat(5, () => logInWithTokenFrom(app, newAddress(), bad)), [
    ...Array(3).fill(REFUSED),
    LIMITED,
    LIMITED,
  ])
  assert.equal(
    summarize(await logInWithTokenFrom(app, newAddress(), token({ jti: 'new' }))),
    LIMITED,
    'refused before the check',
  )
  assert.equal(
    summarize(await logInWithTokenFrom(app, '198.51.100.1', token({ jti: 'next' }))),
    '200',
    'an address with an earlier good token',
  )
  assert.equal(summarize(await logInWithTokenFrom(app, newAddress(), token({ aud: 'other' }))), '200', 'another signer')
  app.clock.advance(1_000)
  const later = token({ jti: 'later' })
  assert.deepEqual(await repeat(2, () => logInWithTokenFrom(app, newAddress(), later)), ['200', '200'])
  assert.equal(summarize(await logInWithTokenFrom(app, newAddress(), bad)), REFUSED, 'the good ones did not count')
  assert.equal(summarize(await logInWithTokenFrom(app, newAddress(), later)), '200', 'proven before: no check')
})

test('tokens refused before or after the signature check do not count against the signer', async (t) => {
  const { app, token } = await setUp(t, { signerBurst: 2, signerPerSecond: 1 })
  for (const claims of [{ exp: 1000 }, { aud: 'elsewhere' }, { sub: 'unknown' }]) {
    assert.deepEqual(await repeat(5, () => logInWithTokenFrom(app, '192.0.2.1', token(claims))), Array(5).fill(REFUSED))
  }
})

test('wrong passwords of one address get 429, right ones never count', async (t) => {
  const { app } = await setUp(t, { passwordBurst: 3, passwordPerMinute: 6 })
  const logInFrom = (address: string, password: string) => {
    const headers = { 'x-forwarded-for': address }
    const body = { username: 'admin', password }
    return app.call('POST', '/edge/client/v1/authenticate?method=password', body, { headers })
  }
  const right = 'the-test-admin-password'
  assert.deepEqual(await repeat(10, () => logInFrom('192.0.2.1', right)), Array(10).fill('200'))
  const wrong = await repeat(4, () => logInFrom('192.0.2.1', 'wrong-password'))
  assert.deepEqual(wrong, [...Array(3).fill('401 INVALID_AUTH'), LIMITED])
  const reply = await logInFrom('192.0.2.1', right)
  assert.deepEqual([summarize(reply), reply.headers['retry-after']], [LIMITED, '10'])
  assert.equal(summarize(await logInFrom('192.0.2.2', right)), '200')
  app.clock.advance(10_000)
  assert.equal(summarize(await logInFrom('192.0.2.1', right)), '200')
})

test('a burst of 0 means no limit', async (t) => {
  const { app, forged } = await setUp(t, { addressBurst: 0, signerBurst: 0 })
  const bad = forged()
  assert.deepEqual(new Set(await repeat(50, () => logInWithTokenFrom(app, '192.0.2.1', bad))), new Set([REFUSED]))
})

test('failures of the controller itself do not count', async (t) => {
  const { app, token } = await setUp(t, { addressBurst: 2, addressPerSecond: 1 })
  const restore = failReads(app.store, Object.assign(new Error('down'), { code: 'ECONNREFUSED' }))
  assert.deepEqual(
    await repeat(5, () => logInWithTokenFrom(app, '192.0.2.1', token())),
    Array(5).fill('503 STORE_UNAVAILABLE'),
  )
  restore()
  assert.equal(summarize(await logInWithTokenFrom(app, '192.0.2.1', token())), '200')
})
