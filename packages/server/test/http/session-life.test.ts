import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from '@countersign/testkit'
import { deleteExpiredSessions } from '../../src/operations/api-session/end-session.ts'
import { failReads } from '../store/mock-reads.ts'
import { buildApp, type TestApp } from './build-app.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import {
  API_SESSIONS,
  createIdentity,
  createPassword,
  expiryIsStored,
  IDENTITIES,
  OWN_SESSION,
} from './identities.fixture.ts'
import { logInWithToken, setUpProvider } from './provider.fixture.ts'

const SECOND = 1000
const dir = mkdtempSync(join(tmpdir(), 'countersign-session-life-'))
after(() => rmSync(dir, { recursive: true, force: true }))
const config = join(dir, 'settings.yaml')
const session = { idleSeconds: 600, maxSeconds: 1500 }
writeFileSync(config, JSON.stringify({ http: { trustedProxies: ['127.0.0.1'] }, session }))

async function use(app: TestApp, session: string, headers: Record<string, string> = {}): Promise<string> {
  return summarize(await app.call('GET', OWN_SESSION, undefined, { session, headers }))
}

testWithApp('ending all sessions of an identity', async (t, app) => {
  await t.test('I-06 ends every open session; later ones live, and other identities are not affected', async () => {
    const id = await createIdentity(app)
    const { username, password } = await createPassword(app, id)
    const old = await Promise.all([1, 2, 3].map(() => app.logIn(username, password)))
    const bystander = await app.makeIdentity()
    for (const each of old) assert.equal(await use(app, each), '200')
    assert.deepEqual((await app.admin('DELETE', `${IDENTITIES}/${id}/api-sessions`)).json, { data: {}, meta: {} })
    for (const each of old) assert.equal(await use(app, each), '401 UNAUTHORIZED')
    assert.equal(await use(app, await app.logIn(username, password)), '200')
    assert.equal(await use(app, bystander.session), '200')
    const ended = app.events('apiSession').filter((event) => event.event_type === 'deleted' && event.identity_id === id)
    assert.equal(ended.length, 3)
  })

  await t.test('I-06 D35 needs the permission, and an administrator for an administrator', async () => {
    const { id, session: own } = await app.makeIdentity()
    const administrator = await app.makeIdentity({ isAdmin: true })
    const operator = await app.makeIdentity({ permissions: ['ops.delete'] })
    const end = async (identityId: string, session: string) =>
      summarize(await app.call('DELETE', `${IDENTITIES}/${identityId}/api-sessions`, undefined, { session }))
    assert.equal(await end(id, own), '401 UNAUTHORIZED')
    assert.equal(await end(administrator.id, operator.session), '401 UNAUTHORIZED')
    assert.equal(await use(app, administrator.session), '200')
    assert.equal(await end(id, operator.session), '200')
    assert.equal(await use(app, own), '401 UNAUTHORIZED')
    assert.equal(await end(administrator.id, app.adminSession), '200')
    assert.equal(await use(app, administrator.session), '401 UNAUTHORIZED')
    assert.equal(await end('unknown', app.adminSession), '404 NOT_FOUND')
  })

  await t.test('I-06 D35 N-08 has the same rules one by one', async () => {
    const administrator = await app.makeIdentity({ isAdmin: true })
    const plain = await app.makeIdentity()
    const operator = await app.makeIdentity({ permissions: ['ops'] })
    const sessionsOf = async (id: string) => {
      const path = `${API_SESSIONS}?filter=${encodeURIComponent(`identity="${id}"`)}`
      const { json } = await app.call('GET', path, undefined, { session: operator.session })
      return json.data[0].id as string
    }
    const end = async (id: string, session: string) =>
      summarize(await app.call('DELETE', `${API_SESSIONS}/${id}`, undefined, { session }))
    const [of, ofAdministrator, own] = [
      await sessionsOf(plain.id),
      await sessionsOf(administrator.id),
      await sessionsOf(operator.id),
    ]
    assert.equal(await end(ofAdministrator, operator.session), '401 UNAUTHORIZED')
    assert.equal(await use(app, administrator.session), '200')
    assert.equal(await end(of, operator.session), '200')
    assert.equal(await use(app, plain.session), '401 UNAUTHORIZED')
    assert.equal(await end(ofAdministrator, app.adminSession), '200')
    assert.equal(await use(app, administrator.session), '401 UNAUTHORIZED')
    assert.equal(await end('unknown', operator.session), '404 NOT_FOUND')
    assert.equal(await end(own, operator.session), '200')
  })
})

test('I-07 a session that cannot be looked up is refused with 503, whatever the error, and works again after it', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const { session } = await app.makeIdentity()
  for (const failure of [
    Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR' }),
    new TypeError('unexpected'),
  ]) {
    const restore = failReads(app.store, failure)
    assert.equal(await use(app, session), '503 STORE_UNAVAILABLE')
    restore()
  }
  assert.equal(await use(app, session), '200')
})

test('I-07 without the database even a recently used session is refused, and works again when it is back', async (t) => {
  const postgres = await startPostgres({ durable: true })
  const database = (await postgres.createDatabase()) as `postgres${string}:${string}`
  const app = await buildApp(t, { database })
  t.after(() => postgres.stop())
  const { session } = await app.makeIdentity()
  const until = async (expected: string) => {
    const deadline = performance.now() + 20_000
    for (;;) {
      const seen = await use(app, session)
      if (seen === expected) return
      assert.ok(seen === '200' || seen === '503 STORE_UNAVAILABLE', seen)
      assert.ok(performance.now() < deadline, `still ${seen}`)
      await sleep(50)
    }
  }
  assert.equal(await use(app, session), '200')
  await postgres.kill()
  await until('503 STORE_UNAVAILABLE')
  await postgres.restart()
  await until('200')
})

test('I-08 a session outlives the token that opened it and ends unused after the idle time, to the second', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t, { settings: { config } })
  await createSigner()
  await createIdentity()
  const exp = Math.floor(app.clock.now() / 1000) + 30
  const open = async () => (await logInWithToken(app, token({ exp }))).json.data.token as string
  const [early, late] = [await open(), await open()]
  app.clock.advance(40 * SECOND)
  assert.equal((await logInWithToken(app, token({ exp }))).status, 401, 'the token has expired')
  assert.equal(await use(app, early), '200')
  assert.equal(await use(app, late), '200', 'a use within the same minute extends it too')
  app.clock.advance(599 * SECOND)
  assert.equal(await use(app, early), '200')
  app.clock.advance(1 * SECOND)
  assert.equal(await use(app, late), '401 UNAUTHORIZED')
  assert.equal(await use(app, early), '200')
})

test('I-08 a session in constant use ends at its maximum lifetime, to the second', async (t) => {
  const app = await buildApp(t, { settings: { config } })
  const { session } = await app.makeIdentity()
  const opened = Date.parse((await app.call('GET', OWN_SESSION, undefined, { session })).json.data.createdAt)
  const to = (ms: number) => app.clock.advance(opened + ms - app.clock.now())
  for (const at of [500, 1000, 1499]) {
    to(at * SECOND)
    const reply = await app.call('GET', OWN_SESSION, undefined, { session })
    assert.equal(summarize(reply), '200', `after ${at} s`)
    assert.ok((await expiryIsStored(app, reply.json.data)) <= opened + 1500 * SECOND)
  }
  to(1500 * SECOND)
  assert.equal(await use(app, session), '401 UNAUTHORIZED')
})

test('I-08 a use through one worker extends the session on the other, and without a use it ends on both', async (t) => {
  const app = await buildApp(t, { settings: { config }, deployment: 'workers' })
  const { session } = await app.makeIdentity()
  const uses = async () => [await use(app, session), await use(app, session)]
  assert.deepEqual(await uses(), ['200', '200'], 'both workers know it')
  app.clock.advance(500 * SECOND)
  await expiryIsStored(app, (await app.call('GET', OWN_SESSION, undefined, { session })).json.data)
  app.clock.advance(500 * SECOND)
  assert.deepEqual(await uses(), ['200', '200'])
  app.clock.advance(600 * SECOND)
  assert.deepEqual(await uses(), ['401 UNAUTHORIZED', '401 UNAUTHORIZED'])
})

test('I-08 the sweep keeps sessions that were used since their last written use', async (t) => {
  const app = await buildApp(t, { settings: { config }, isAlone: 'controller' })
  const { session } = await app.makeIdentity()
  assert.equal(await use(app, session), '200')
  app.clock.advance(50 * SECOND)
  assert.equal(await use(app, session), '200')
  app.clock.advance(580 * SECOND)
  await app.store.run(deleteExpiredSessions, {}, { actorId: 'system', now: app.clock.now() })
  assert.equal(await use(app, session), '200', '580 s after its last use')
})

test('I-09 a token used from another address or user agent is allowed, and reported once', async (t) => {
  const app = await buildApp(t, { settings: { config }, isAlone: 'controller' })
  const { id, session } = await app.makeIdentity()
  const changes = () =>
    app
      .events('apiSession')
      .filter((event) => event.identity_id === id && event.event_type.endsWith('Changed'))
      .map((event) => `${event.event_type} ${event.ip_address}`)
  const from = (address: string, agent: string) =>
    use(app, session, { 'x-forwarded-for': address, 'user-agent': agent })
  assert.equal(await from('127.0.0.1', 'sdk'), '200')
  assert.equal(await from('127.0.0.1', 'sdk'), '200')
  assert.deepEqual(changes(), [])
  assert.equal(await from('192.0.2.1', 'sdk'), '200')
  assert.deepEqual(changes(), ['addressChanged 192.0.2.1'])
  assert.equal(await from('192.0.2.1', 'curl'), '200')
  assert.deepEqual(changes(), ['addressChanged 192.0.2.1', 'agentChanged 192.0.2.1'])
  for (let round = 0; round < 3; round++) {
    assert.equal(await from('127.0.0.1', 'sdk'), '200')
    assert.equal(await from('192.0.2.1', 'curl'), '200')
  }
  assert.equal(changes().length, 2, 'known addresses are not reported again')
  for (let host = 0; host < 100; host++) assert.equal(await from(`198.51.100.${host}`, `agent ${host}`), '200')
  assert.ok(changes().length <= 16, 'the number of events per session is limited')
  assert.ok(!JSON.stringify(app.events('apiSession')).includes(session))
})
