import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedTarget, startTarget } from '../attack/target.ts'

const target = sharedTarget()

const SIGNERS = '/edge/client/v1/external-jwt-signers'
const ORIGIN = 'https://app.example.com'

test('D38 every origin is allowed, without credentials', async () => {
  const { app } = target()
  for (const [path, status] of [
    [SIGNERS, 200],
    ['/edge/management/v1/external-jwt-signers', 401],
    ['/nowhere', 404],
    ['/edge/management/v1/external-jwt-signers/%zz', 400],
  ] as const) {
    const reply = await app.call('GET', path, undefined, { headers: { origin: ORIGIN } })
    assert.equal(reply.status, status)
    assert.equal(reply.headers['access-control-allow-origin'], '*')
    assert.equal(reply.headers['access-control-allow-credentials'], undefined)
    assert.match(reply.headers['access-control-expose-headers'] ?? '', /zt-session/)
  }
  const { headers } = await app.call('GET', SIGNERS)
  assert.equal(headers['access-control-allow-origin'], undefined)
})

test('D38 a preflight is granted the requested headers, and gets 403 when one of them is not allowed', async () => {
  const { app } = target()
  const preflight = (requested?: string) =>
    app.call('OPTIONS', SIGNERS, undefined, {
      headers: { origin: ORIGIN, ...(requested !== undefined && { 'access-control-request-headers': requested }) },
    })
  for (const [requested, allowed] of [
    ['content-type, ACCEPT,authorization , zt-session', 'content-type, accept, authorization, zt-session'],
    ['if-match,last-event-id', 'if-match, last-event-id'],
    [Array.from({ length: 3000 }, () => 'accept').join(','), 'accept'],
    [undefined, ''],
  ] as const) {
    const reply = await preflight(requested)
    assert.deepEqual([reply.status, reply.text], [200, ''])
    assert.equal(reply.headers['access-control-allow-headers'], allowed)
    assert.match(reply.headers['access-control-allow-methods'] ?? '', /PATCH/)
  }
  for (const requested of ['x-evil', 'content-type, cookie', '__proto__', 'constructor']) {
    const reply = await preflight(requested)
    assert.equal(reply.status, 403)
    assert.equal(reply.headers['access-control-allow-origin'], undefined)
    assert.equal(reply.headers['access-control-allow-headers'], undefined)
    assert.equal(reply.headers['access-control-expose-headers'], undefined)
  }
})

test('D38 OPTIONS without an origin is an empty 200 everywhere', async () => {
  const { app } = target()
  for (const path of [SIGNERS, '/nowhere', '/']) {
    const reply = await app.call('OPTIONS', path)
    assert.deepEqual([reply.status, reply.text], [200, ''])
    assert.equal(reply.headers['access-control-allow-origin'], undefined)
  }
})

test('D38 configured origins are the only ones allowed, compared exactly', async (t) => {
  const { app } = await startTarget(t, { settings: { cors: { allowedOrigins: [ORIGIN] } } })
  const allowedFor = async (origin: string) =>
    (await app.call('GET', SIGNERS, undefined, { headers: { origin } })).headers['access-control-allow-origin']
  assert.equal(await allowedFor(ORIGIN), ORIGIN)
  for (const origin of ['https://evil.example', `${ORIGIN}.evil.example`, 'https://APP.example.com', 'null', '*', '']) {
    assert.equal(await allowedFor(origin), undefined)
    const preflight = await app.call('OPTIONS', SIGNERS, undefined, { headers: { origin } })
    assert.equal(preflight.status, 403)
  }
  const { headers } = await app.call('GET', SIGNERS, undefined, { headers: { origin: 'https://evil.example' } })
  assert.equal(headers.vary, 'Origin')
})

test('D38 an unknown encoding in Accept-Encoding is ignored', async () => {
  const { app } = target()
  for (const encoding of ['x-unknown', 'identity;q=0, *;q=0', 'gzip,'.repeat(5000)]) {
    const options = { headers: { 'accept-encoding': encoding } }
    assert.equal((await app.call('GET', SIGNERS, undefined, options)).status, 200)
    const missing = await app.call('GET', '/nowhere', undefined, options)
    assert.deepEqual([missing.status, missing.headers['content-encoding']], [404, undefined])
  }
})
