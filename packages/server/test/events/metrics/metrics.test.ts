import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { createMetrics } from '../../../src/events/metrics/metrics.ts'
import { startMetricsServer } from '../../../src/events/metrics/metrics-server.ts'
import { createAttemptLimits } from '../../../src/limits/attempt-limits.ts'
import { OutboundError } from '../../../src/outbound/outbound-error.ts'
import { loadSettings } from '../../../src/platform/settings/index.ts'
import { setUpHosted } from '../../hosted/hosted.fixture.ts'
import { ADMIN_PASSWORD, type TestApp } from '../../http/build-app.ts'
import { createPassword } from '../../http/identities.fixture.ts'
import { ALICE, logInWithToken, refusalOf, setUpProvider } from '../../http/provider.fixture.ts'

const scrape = (app: TestApp) => app.controller.metrics.registry.metrics()

/** The value of the line with this name and labels. */
function metricOf(text: string, name: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length + 1))
}

test('measures logins, tokens, keys, sessions, writes and events', async (t) => {
  const { app, token, provider, createSigner, createIdentity } = await setUpProvider(t, { isAlone: 'controller' })
  const signerId = await createSigner()
  await createIdentity()
  const good = token()
  for (let times = 3; times > 0; times -= 1) assert.equal((await logInWithToken(app, good)).status, 200)
  await refusalOf(logInWithToken(app, token({ exp: 1 })))
  await refusalOf(logInWithToken(app, token({ iss: 'https://elsewhere.example' })))
  await app.call('POST', '/edge/client/v1/authenticate?method=password', { username: 'admin', password: 'wrong' })
  provider.failure = new OutboundError('status', 'the provider answered 500')
  await app.admin('POST', `/edge/management/v1/ext-jwt-signers/${signerId}/refresh-keys`)
  const text = await scrape(app)
  const logins = (labels: string) => metricOf(text, `countersign_sign_ins_total{${labels}}`)
  assert.equal(logins(`method="ext-jwt",signer="${signerId}",reason="success"`), 3)
  assert.equal(logins(`method="ext-jwt",signer="${signerId}",reason="token-expired"`), 1)
  assert.equal(logins('method="ext-jwt",signer="",reason="issuer-unknown"'), 1)
  assert.equal(logins('method="password",signer="",reason="success"'), 1)
  assert.equal(logins('method="password",signer="",reason="wrong-password"'), 1)
  assert.equal(metricOf(text, 'countersign_token_cache_hits_total'), 1)
  assert.equal(metricOf(text, 'countersign_token_verify_seconds_count'), 3)
  assert.ok((metricOf(text, 'countersign_token_verify_seconds_sum') ?? 0) > 0)
  const age = metricOf(text, `countersign_jwks_age_seconds{signer="${signerId}"}`)
  assert.ok(age !== undefined && age >= 0 && age < 60, `${age}`)
  assert.equal(metricOf(text, `countersign_jwks_failures_total{signer="${signerId}"}`), 1)
  assert.equal(metricOf(text, 'countersign_signers_stale'), 1)
  assert.equal(metricOf(text, 'countersign_sessions'), 4)
  assert.ok((metricOf(text, 'countersign_sessions_remembered') ?? 0) >= 1)
  assert.ok((metricOf(text, 'countersign_store_write_seconds_count') ?? 0) >= 4)
  assert.equal(metricOf(text, 'countersign_events_total{namespace="authentication"}'), 7)
  assert.equal(metricOf(text, 'countersign_events_left_out_total'), 0)
  assert.equal(metricOf(text, 'countersign_event_streams'), 0)
})

const SELF = '/identity/v1/identities/self'

test('measures the access tokens of the hosted API too', async (t) => {
  const { app, createProvider, createAccount, token, call } = await setUpHosted(t, { isAlone: 'controller' })
  const provider = await createProvider('cognito')
  await createAccount(provider, 'machine-1')
  const counts = async () => {
    const text = await scrape(app)
    return ['countersign_token_verify_seconds_count', 'countersign_token_cache_hits_total'].map((name) =>
      metricOf(text, name),
    )
  }
  const use = async (bearer: string) => (await call('GET', SELF, bearer)).status
  assert.deepEqual(await counts(), [0, 0])
  // The caller of a slow call is authorised again, and the first call may be slow.
  assert.equal(await use(token('cognito', 'machine-1', { jti: 'first' })), 200)
  const [first = 0] = await counts()
  assert.ok(first > 0)
  const good = token('cognito', 'machine-1')
  const expected = [
    [good, 200, [first + 1, 0]],
    [good, 200, [first + 2, 0]],
    [good, 200, [first + 2, 1]],
    [token('cognito', 'machine-1', { exp: 1 }), 401, [first + 3, 1]],
  ] as const
  for (const [bearer, status, counted] of expected) {
    assert.equal(await use(bearer), status)
    assert.deepEqual(await counts(), counted)
  }
})

test('R-14 metrics do not identify users, and are not on the public listener', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  await createSigner()
  const identityId = await createIdentity({ name: 'alice-by-name' })
  const { username, password } = await createPassword(app, identityId)
  const session = await app.logIn(username, password)
  assert.equal((await logInWithToken(app, token())).status, 200)
  await refusalOf(logInWithToken(app, token({ sub: 'unknown-subject' })))
  const text = await scrape(app)
  assert.ok(text.includes('countersign_sign_ins_total'))
  const personal = [identityId, 'alice-by-name', ALICE, username, 'unknown-subject', '127.0.0.1', session, token()]
  for (const secret of [...personal, ADMIN_PASSWORD]) assert.ok(!text.includes(secret), secret)
  for (const path of ['/metrics', '/debug/pprof', '/debug/vars', '/health', '/edge/management/v1/metrics']) {
    assert.equal((await app.admin('GET', path)).status, 404, path)
  }
})

test('R-14 the listener for metrics is on loopback and serves nothing but metrics', async (t) => {
  const { registry, rateLimited } = createMetrics()
  rateLimited('address')
  const server = await startMetricsServer({ host: '127.0.0.1', port: 0 }, registry)
  t.after(() => server.close())
  assert.equal(new URL(server.url).hostname, '127.0.0.1')
  const response = await fetch(server.url)
  const text = await response.text()
  assert.equal(response.status, 200)
  assert.equal(metricOf(text, 'countersign_rate_limited_total{limit="address"}'), 1)
  assert.match(text, /^countersign_nodejs_eventloop_lag_seconds /m)
  for (const path of ['/', '/health', '/debug/pprof']) {
    assert.equal((await fetch(new URL(path, server.url))).status, 404, path)
  }
  assert.equal((await fetch(server.url, { method: 'POST' })).status, 404)
})

test('times are counted in buckets of fixed upper bounds, without labels', async () => {
  const { registry, tokenVerified, written } = createMetrics()
  const linesOf = async (name: string) =>
    (await registry.metrics())
      .split('\n')
      .flatMap((line) => (line.startsWith(`${name}_`) ? [line.slice(name.length)] : []))
  const verify = ['0.00005', '0.0001', '0.00025', '0.0005', '0.001', '0.0025', '0.005', '0.01', '0.025', '0.1', '0.5']
  const write = ['0.0005', '0.001', '0.0025', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '1', '5']
  const expected = (bounds: readonly string[], counts: readonly number[], sum: number) => [
    ...[...bounds, '+Inf'].map((bound, index) => `_bucket{le="${bound}"} ${counts[index] ?? 0}`),
    `_sum ${sum}`,
    `_count ${counts.at(-1) ?? 0}`,
  ]
  assert.deepEqual(await linesOf('countersign_token_verify_seconds'), expected(verify, [], 0))
  for (const milliseconds of [0.25, 0.75, 1000]) tokenVerified(milliseconds)
  for (const milliseconds of [0.5, 8000]) written(milliseconds)
  const verified = [0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 3]
  assert.deepEqual(await linesOf('countersign_token_verify_seconds'), expected(verify, verified, 1.001))
  const writes = [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]
  assert.deepEqual(await linesOf('countersign_store_write_seconds'), expected(write, writes, 8.0005))
})

describe('metrics that anonymous callers or many signers cause', () => {
  test('R-14 have a bounded number of lines', async () => {
    const { registry, login } = createMetrics()
    for (let count = 0; count < 10_000; count += 1) login('ext-jwt', `signer-${count}`, 'success')
    const text = await registry.metrics()
    assert.ok(text.split('\n').length < 200)
    assert.equal(metricOf(text, 'countersign_sign_ins_total{method="ext-jwt",signer="signer-49",reason="success"}'), 1)
    assert.equal(metricOf(text, 'countersign_sign_ins_total{method="ext-jwt",signer="other",reason="success"}'), 9_950)
  })

  test('count the refusals of limiters', async () => {
    const metrics = createMetrics()
    const { limits } = loadSettings({ flags: {}, env: {} }).settings
    const { address } = createAttemptLimits({
      settings: { limits: { ...limits, addressBurst: 2 } },
      clock: { now: () => 0 },
      log: pino({ level: 'silent' }),
      metrics,
    })
    address.begin('192.0.2.1')
    address.begin('192.0.2.1')
    assert.throws(() => address.begin('192.0.2.1'))
    const text = await metrics.registry.metrics()
    assert.equal(metricOf(text, 'countersign_rate_limited_total{limit="address"}'), 1)
  })
})
