import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../keyset/fake-time.ts'
import type { TestApp } from './build-app.ts'
import { createPassword, IDENTITIES, OWN_SESSION } from './identities.fixture.ts'
import { decisionOf, logInWithToken, refusalOf, setUpProvider } from './provider.fixture.ts'

const MINUTE = 60_000

async function setUp(t: TestContext) {
  const provider = await setUpProvider(t)
  const { app, token, createSigner, createIdentity } = provider
  await createSigner()
  const id = await createIdentity()
  const { username, password } = await createPassword(app, id)
  const expireAt = async (at: number | null) => {
    const expiresAt = at === null ? null : new Date(at).toISOString()
    const reply = await app.admin('PATCH', `${IDENTITIES}/${id}`, { expiresAt })
    assert.equal(reply.status, 200, reply.text)
  }
  const byToken = () => logInWithToken(app, token({ exp: Math.floor(app.clock.now() / 1000) + 86_400 }))
  const byPassword = () => app.call('POST', '/edge/client/v1/authenticate?method=password', { username, password })
  const statusOf = async (session: string) => (await app.call('GET', OWN_SESSION, undefined, { session })).status
  const alice = async () => (await app.admin('GET', `${IDENTITIES}/${id}`)).json.data
  return { ...provider, id, expireAt, byToken, byPassword, statusOf, alice }
}

/** Waits until the controller has written the end of an identity's access. */
async function isWritten(app: TestApp, id: string): Promise<void> {
  const find = () => app.store.db.selectFrom('identities').select('has_expired').where('id', '=', id).executeTakeFirst()
  while (!(await find())?.has_expired) await sleep(20)
}

test('at expiresAt sessions end and logins are refused with their own reason; an administrator can extend it', async (t) => {
  const { app, id, expireAt, byToken, byPassword, statusOf, alice, explain, token } = await setUp(t)
  assert.equal((await alice()).expiresAt, null)
  const session = (await byToken()).json.data.token as string
  const at = app.clock.now() + 5 * MINUTE
  await expireAt(at)
  assert.equal((await alice()).expiresAt, new Date(at).toISOString())
  const capped = await byPassword()
  assert.equal(Date.parse(capped.json.data.expiresAt), at)
  assert.equal(await statusOf(session), 200)
  app.clock.advance(5 * MINUTE)
  assert.deepEqual([await statusOf(session), await statusOf(capped.json.data.token)], [401, 401])
  for (const logIn of [byToken, byPassword]) {
    const decision = await decisionOf(app, await refusalOf(logIn()))
    assert.equal(decision.reason, 'identity-expired')
    assert.deepEqual([decision.identity.disabled, decision.identity.expired], [false, true])
  }
  assert.match((await explain(token())).missing.join(), /has expired: change its expiresAt/)
  assert.equal((await alice()).disabled, false)
  await isWritten(app, id)
  const isEnd = (event: { event_type: string; identity_id: string }) =>
    event.event_type === 'deleted' && event.identity_id === id
  await until(() => app.events('apiSession').filter(isEnd).length === 2)
  await expireAt(app.clock.now() + MINUTE)
  assert.equal((await byToken()).status, 200)
  assert.equal(await statusOf(session), 401)
  await expireAt(null)
  app.clock.advance(5 * MINUTE)
  assert.equal((await byToken()).status, 200)
})

test('a past expiresAt ends access at once', async (t) => {
  const { app, expireAt, byToken, statusOf } = await setUp(t)
  const session = (await byToken()).json.data.token as string
  await expireAt(app.clock.now() - MINUTE)
  assert.equal(await statusOf(session), 401)
  assert.equal((await byToken()).status, 401)
})

test('D35 only an administrator prolongs the access of an identity with rights', async (t) => {
  const { app, createIdentity } = await setUp(t)
  const at = (minutes: number) => new Date(app.clock.now() + minutes * MINUTE).toISOString()
  const { id: own, session } = await app.makeIdentity({ permissions: ['identity.update'] })
  const peer = await createIdentity({ name: 'peer', externalId: 'peer', permissions: ['identity.update'] })
  const plain = await createIdentity({ name: 'plain', externalId: 'plain' })
  for (const id of [own, peer, plain]) await app.admin('PATCH', `${IDENTITIES}/${id}`, { expiresAt: at(10) })
  const set = async (id: string, expiresAt: string | null) =>
    (await app.call('PATCH', `${IDENTITIES}/${id}`, { expiresAt }, { session })).status
  for (const id of [own, peer]) {
    assert.deepEqual([await set(id, at(11)), await set(id, null)], [401, 401])
    assert.equal(await set(id, at(9)), 200, 'earlier')
    assert.equal((await app.admin('PATCH', `${IDENTITIES}/${id}`, { expiresAt: at(20) })).status, 200)
  }
  assert.deepEqual([await set(plain, at(11)), await set(plain, null)], [200, 200])
})

test('D35 only an administrator enables an identity with rights', async (t) => {
  const { app, createIdentity } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['identity.update'] })
  const peer = await createIdentity({ name: 'peer', externalId: 'peer', permissions: ['identity.update'] })
  const plain = await createIdentity({ name: 'plain', externalId: 'plain' })
  const post = async (id: string, action: string, durationMinutes?: number) =>
    (await app.call('POST', `${IDENTITIES}/${id}/${action}`, { durationMinutes }, { session })).status
  assert.equal(await post(peer, 'enable'), 200, 'it is enabled')
  for (const id of [peer, plain]) await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 60 })
  assert.deepEqual([await post(peer, 'enable'), await post(peer, 'disable', 1)], [401, 401])
  assert.deepEqual([await post(peer, 'disable', 120), await post(peer, 'disable', 0)], [200, 200], 'longer')
  assert.deepEqual([await post(plain, 'disable', 1), await post(plain, 'enable')], [200, 200])
  assert.equal((await app.admin('POST', `${IDENTITIES}/${peer}/enable`)).status, 200)
})

test('S-08 a clock that goes back gives no access again', async (t) => {
  const { app, id, expireAt, byToken, byPassword } = await setUp(t)
  await expireAt(app.clock.now() + 5 * MINUTE)
  app.clock.advance(6 * MINUTE)
  assert.equal((await byToken()).status, 401)
  await isWritten(app, id)
  app.clock.advance(-6 * MINUTE)
  assert.deepEqual([(await byToken()).status, (await byPassword()).status], [401, 401])
  const same = (await app.admin('GET', `${IDENTITIES}/${id}`)).json.data.expiresAt
  await app.admin('PATCH', `${IDENTITIES}/${id}`, { expiresAt: same, name: 'renamed' })
  assert.equal((await byToken()).status, 401, 'writing the same time extends nothing')
  await expireAt(app.clock.now() + 10 * MINUTE)
  assert.deepEqual([(await byToken()).status, (await byPassword()).status], [200, 200])
})

test('lists can be filtered and sorted by expiresAt', async (t) => {
  const { app, id, createIdentity, expireAt } = await setUp(t)
  const later = await createIdentity({ name: 'later', externalId: 'later', expiresAt: '2100-01-01T00:00:00Z' })
  await expireAt(Date.parse('2090-01-01T00:00:00Z'))
  const list = async (query: string) =>
    (await app.admin('GET', `${IDENTITIES}?${query}`)).json.data.map((found: { id: string }) => found.id)
  assert.deepEqual(await list('filter=expiresAt < datetime(2095-01-01T00:00:00Z)'), [id])
  assert.deepEqual(await list('filter=expiresAt != null sort by expiresAt desc'), [later, id])
})

test('D64 expiresAt is kept by PUT, cleared by null, and must be a time', async (t) => {
  const { app, id, alice } = await setUp(t)
  const path = `${IDENTITIES}/${id}`
  const expiresAt = '2100-01-01T00:00:00.000Z'
  await app.admin('PATCH', path, { expiresAt })
  const put = { name: 'alice', type: 'Default', isAdmin: false }
  assert.equal((await app.admin('PUT', path, put)).status, 200)
  assert.equal((await alice()).expiresAt, expiresAt)
  for (const wrong of ['tomorrow', '2100-02-30T00:00:00Z', 7]) {
    const reply = await app.admin('PATCH', path, { expiresAt: wrong })
    assert.equal(reply.status, 400, reply.text)
    assert.match(reply.text, /expiresAt/)
  }
  await app.admin('PUT', path, { ...put, expiresAt: null })
  assert.equal((await alice()).expiresAt, null)
})

test('D35 the access of the last administrator cannot end', async (t) => {
  const { app } = await setUp(t)
  const [admin] = (await app.admin('GET', `${IDENTITIES}?filter=isDefaultAdmin = true`)).json.data
  const expire = () => app.admin('PATCH', `${IDENTITIES}/${admin.id}`, { expiresAt: '2100-01-01T00:00:00Z' })
  assert.equal((await expire()).status, 409)
  await app.makeIdentity({ isAdmin: true })
  assert.equal((await expire()).status, 200)
})
