import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import { makeTestCsr } from '@countersign/testkit'
import type { AppOptions } from '../http/build-app.ts'
import { enrollWithCsr } from '../http/enrollments.fixture.ts'
import { summarize } from '../http/ext-jwt-signers.fixture.ts'
import { defaultAdminId, identityBody } from '../http/identities.fixture.ts'
import { settle, until } from '../keyset/fake-time.ts'
import { makeAccountClients } from './account-clients.fixture.ts'
import { setUpHosted } from './hosted.fixture.ts'

interface Listed {
  readonly type: string
  readonly active: boolean
}

async function setUp(t: TestContext, role = 'admin', options: AppOptions = {}) {
  const hosted = await setUpHosted(t, options)
  const account = await hosted.createAccount(await hosted.createProvider('cognito'), 'machine', { role })
  const bearer = hosted.token('cognito', 'machine')
  const [local] = (await hosted.call('GET', '/core/v3/networks', bearer)).json._embedded.networkList
  const exchange = (body: unknown = { type: 'session' }, id = local.id) =>
    hosted.call('POST', `/core/v3/networks/${id}/exchange`, bearer, body)
  const withSession = (session: string, method: string, path: string, body?: unknown) =>
    hosted.app.call(method, `/edge/management/v1/${path}`, body, { session })
  return { ...hosted, account, bearer, exchange, withSession }
}

test('D46 an account exchanges its token for a session of this controller, with the rights of its role', async (t) => {
  const { exchange, withSession, account } = await setUp(t)
  const reply = await exchange()
  assert.equal(reply.status, 200, reply.text)
  assert.match(reply.json.networkControllerUrl, /^https:\/\/.*\/edge\/management\/v1$/)
  const session = reply.json.value
  const self = await withSession(session, 'GET', 'current-identity')
  assert.deepEqual([self.json.data.id, self.json.data.isAdmin], [`api-account:${account}`, true])
  assert.equal((await withSession(session, 'GET', 'identities')).status, 200)
  const body = { name: 'created by machine', type: 'Default', isAdmin: false }
  assert.equal((await withSession(session, 'POST', 'identities', body)).status, 201)
  assert.equal((await exchange({ type: 'SESSION' })).status, 200)
  assert.equal((await exchange({ type: 'password' })).status, 400)
})

test('F-14 the exchanges of an organization take its turns to write: two at a time', async (t) => {
  const { app, exchange } = await setUp(t, 'admin', { isAlone: 'controller' })
  const { run } = app.store
  const held = Promise.withResolvers<void>()
  let begun = 0
  t.mock.method(app.store, 'run', async (...[operation, ...rest]: Parameters<typeof run>) => {
    if (operation.name === 'apiAccount.ensureIdentity') {
      begun++
      await held.promise
    }
    return run(operation, ...rest)
  })
  const replies = Array.from({ length: 5 }, () => exchange())
  await until(() => begun > 0)
  await settle()
  assert.equal(begun, 2)
  held.resolve()
  for (const { status } of await Promise.all(replies)) assert.equal(status, 200)
  assert.equal(begun, 5)
})

test('D46 a read-only account reads there and changes nothing', async (t) => {
  const { exchange, withSession } = await setUp(t, 'read-only')
  const session = (await exchange()).json.value
  assert.equal((await withSession(session, 'GET', 'identities')).status, 200)
  const body = { name: 'x', type: 'Default', isAdmin: false }
  assert.equal((await withSession(session, 'POST', 'identities', body)).status, 401)
})

test('D46 an account’s sessions end with it, and its rights follow its role', async (t) => {
  const { app, exchange, withSession, account } = await setUp(t)
  const path = `/identity/v1/api-account-identities/${account}`
  const first = (await exchange()).json.value
  await app.admin('PATCH', path, { role: 'read-only' })
  const second = (await exchange()).json.value
  const body = { name: 'x', type: 'Default', isAdmin: false }
  for (const session of [first, second]) {
    assert.equal((await withSession(session, 'GET', 'identities')).status, 200)
    assert.equal((await withSession(session, 'POST', 'identities', body)).status, 401)
  }
  await app.admin('PATCH', path, { active: false })
  for (const session of [first, second]) assert.equal((await withSession(session, 'GET', 'identities')).status, 401)
  assert.equal((await exchange()).status, 401)
})

test('D46 an account that becomes read-only cannot change anything, also in its open sessions', async (t) => {
  const { app, exchange, withSession, account } = await setUp(t)
  const session = (await exchange()).json.value
  let count = 0
  const change = async () => {
    count += 1
    const body = { name: `created by machine ${count}`, type: 'Default', isAdmin: false }
    return (await withSession(session, 'POST', 'identities', body)).status
  }
  const setRole = async (role: string) =>
    (await app.admin('PATCH', `/identity/v1/api-account-identities/${account}`, { role })).status
  assert.equal(await change(), 201)
  assert.equal(await setRole('read-only'), 200)
  assert.equal(await change(), 401)
  assert.equal((await withSession(session, 'GET', 'identities')).status, 200)
  assert.equal(await setRole('admin'), 200)
  assert.equal(await change(), 201)
})

test('D46 the identity has no other login: a signer that asserts its id is refused', async (t) => {
  const { app, exchange, token, account, key } = await setUp(t)
  await exchange()
  const signer = await app.admin('POST', '/edge/management/v1/ext-jwt-signers', {
    name: 'by id',
    enabled: true,
    issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE',
    audience: 'overlay',
    jwksEndpoint: 'https://keys.example/jwks',
  })
  assert.equal(signer.status, 201, signer.text)
  const logIn = (sub: string) => {
    const headers = { authorization: `Bearer ${token('cognito', 'x', { sub, aud: 'overlay' }, key)}` }
    return app.call('POST', '/edge/client/v1/authenticate?method=ext-jwt', undefined, { headers })
  }
  const plain = await app.admin('POST', '/edge/management/v1/identities', {
    name: 'p',
    type: 'Default',
    isAdmin: false,
  })
  assert.equal((await logIn(plain.json.data.id)).status, 200)
  assert.equal((await logIn(`api-account:${account}`)).status, 401)
})

test('D46 a network with another controller is 409, with the reason', async (t) => {
  const { call, bearer, exchange } = await setUp(t)
  const body = { name: 'elsewhere', controllerUrl: 'https://ctrl.example.net' }
  const { id } = (await call('POST', '/core/v3/networks', bearer, body)).json
  const reply = await exchange({ type: 'session' }, id)
  assert.deepEqual([reply.status, reply.json.status.label], [409, 'CONFLICT'])
  assert.equal((await exchange({ type: 'session' }, 'nothing')).status, 404)
})

test('a client that is retired at once ends the sessions that it opened', async (t) => {
  const { app, exchange, withSession, account } = await setUp(t)
  const rotate = async (clientId: string, overlapMinutes: number) => {
    const body = { clientId, overlapMinutes }
    assert.equal((await app.admin('POST', `/identity/v1/api-account-identities/${account}/rotate`, body)).status, 200)
  }
  const session = (await exchange()).json.value
  const status = async () => (await withSession(session, 'GET', 'identities')).status
  await rotate('second', 10)
  assert.deepEqual([await status(), (await exchange()).status], [200, 200])
  await rotate('third', 0)
  assert.deepEqual([await status(), (await exchange()).status], [401, 401])
})

test('when the overlap of a rotation ends, the sessions from before end with it', async (t) => {
  const { app, exchange, withSession, account, call, token } = await setUp(t)
  const body = { clientId: 'second', overlapMinutes: 10 }
  assert.equal((await app.admin('POST', `/identity/v1/api-account-identities/${account}/rotate`, body)).status, 200)
  const old = (await exchange()).json.value
  const status = async (session: string) => (await withSession(session, 'GET', 'identities')).status
  const accountClients = makeAccountClients(app)
  app.clock.advance(9 * 60_000)
  await accountClients.removeRetired()
  assert.equal(await status(old), 200)
  app.clock.advance(60_000)
  const bearer = token('cognito', 'second')
  const [local] = (await call('GET', '/core/v3/networks', bearer)).json._embedded.networkList
  const exchanged = await call('POST', `/core/v3/networks/${local.id}/exchange`, bearer, { type: 'session' })
  await accountClients.removeRetired()
  assert.deepEqual([await status(old), await status(exchanged.json.value)], [401, 200])
})

test('disabling a provider ends the sessions of its accounts, and of no others', async (t) => {
  const { app, exchange, withSession, createProvider, createAccount, token, call } = await setUp(t)
  const session = (await exchange()).json.value
  const provider = await createProvider('auth0')
  const open = async (clientId: string): Promise<string> => {
    await createAccount(provider, clientId)
    const bearer = token('auth0', clientId)
    const [local] = (await call('GET', '/core/v3/networks', bearer)).json._embedded.networkList
    return (await call('POST', `/core/v3/networks/${local.id}/exchange`, bearer, { type: 'session' })).json.value
  }
  const all = [session, await open('other machine'), await open('third machine')]
  const statuses = async () => {
    const requests = all.map((one) => withSession(one, 'GET', 'identities'))
    return (await Promise.all(requests)).map(({ status }) => status)
  }
  const ended = () => app.events('apiSession').filter(({ event_type: type }) => type === 'deleted').length
  const patch = (body: object) => app.admin('PATCH', `/identity/v1/identity-providers/${provider}`, body)
  assert.equal((await patch({ name: 'renamed', enabled: true })).status, 200)
  assert.deepEqual([await statuses(), ended()], [[200, 200, 200], 0])
  assert.equal((await patch({ enabled: false })).status, 200)
  assert.deepEqual([await statuses(), ended()], [[200, 401, 401], 2])
  assert.equal((await patch({ enabled: true })).status, 200)
  assert.deepEqual([await statuses(), ended()], [[200, 401, 401], 2])
})

test('deleting an account deletes its identity on this controller, and no other', async (t) => {
  const { app, exchange, withSession, createProvider, createAccount, token, call, account } = await setUp(t)
  await createAccount(await createProvider('auth0'), 'other machine')
  const bearer = token('auth0', 'other machine')
  const [local] = (await call('GET', '/core/v3/networks', bearer)).json._embedded.networkList
  await call('POST', `/core/v3/networks/${local.id}/exchange`, bearer, { type: 'session' })
  const session = (await exchange()).json.value
  const names = async () => {
    const { json } = await app.admin('GET', '/edge/management/v1/identities?limit=100')
    return json.data.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('api-account:'))
  }
  assert.equal((await names()).length, 2)
  assert.equal((await app.admin('DELETE', `/identity/v1/api-account-identities/${account}`)).status, 204)
  const left = await names()
  assert.deepEqual([left.length, left.includes(`api-account:${account}`)], [1, false])
  assert.equal((await withSession(session, 'GET', 'identities')).status, 401)
})

test('D35 an account whose identity is disabled gives itself no access, and no peer deletes the identity', async (t) => {
  const { app, exchange, account, call, bearer } = await setUp(t)
  assert.equal((await exchange()).status, 200)
  const path = `/edge/management/v1/identities/api-account:${account}`
  const rename = async () =>
    (await call('PATCH', `/identity/v1/api-account-identities/${account}`, bearer, { name: newId() })).status
  assert.equal(await rename(), 200)
  const { session } = await app.makeIdentity({ permissions: ['identity', 'admin_readonly'] })
  const removed = async () => (await app.call('DELETE', path, undefined, { session })).status
  await app.admin('PATCH', `/identity/v1/api-account-identities/${account}`, { role: 'read-only' })
  await exchange()
  assert.equal(await removed(), 200, 'its next exchange creates it again')
  assert.equal((await exchange()).status, 200)
  await app.admin('PATCH', `/identity/v1/api-account-identities/${account}`, { role: 'admin' })
  assert.equal((await app.admin('POST', `${path}/disable`, { durationMinutes: 0 })).status, 200)
  assert.deepEqual([(await exchange()).status, await rename(), await removed()], [401, 401, 401])
  assert.equal((await app.admin('POST', `${path}/enable`)).status, 200)
  assert.deepEqual([(await exchange()).status, await rename()], [200, 200])
})

test('N-24 tokens for an administrator end with the access of the account that created them', async (t) => {
  const { app, exchange, withSession, account } = await setUp(t)
  const session = (await exchange()).json.value
  const setAccount = async (body: object) => {
    const { status, text } = await app.admin('PATCH', `/identity/v1/api-account-identities/${account}`, body)
    assert.equal(status, 200, text)
  }
  const createToken = async () => {
    const body = identityBody({ isAdmin: true, enrollment: { ott: true } })
    const { id } = (await withSession(session, 'POST', 'identities', body)).json.data
    return (await withSession(session, 'GET', `identities/${id}`)).json.data.enrollment.ott.token
  }
  const [token, other] = [await createToken(), await createToken()]
  const redeem = async (with_: string) => summarize(await enrollWithCsr(app, with_, makeTestCsr().pem))
  for (const [lost, regained] of [
    [{ active: false }, { active: true }],
    [{ role: 'read-only' }, { role: 'admin' }],
  ] as const) {
    await setAccount(lost)
    assert.equal(await redeem(token), '400 INVALID_ENROLLMENT_TOKEN')
    await setAccount(regained)
  }
  assert.equal(await redeem(token), '200')
  assert.equal((await app.admin('DELETE', `/identity/v1/api-account-identities/${account}`)).status, 204)
  assert.equal(await redeem(other), '400 INVALID_ENROLLMENT_TOKEN')
})

test('N-08 the identity of an API account does not count as an administrator who remains', async (t) => {
  const { app, exchange, account } = await setUp(t)
  assert.equal((await exchange()).status, 200)
  const disable = async () => {
    const path = `/edge/management/v1/identities/${await defaultAdminId(app)}/disable?confirmLockOut=true`
    return summarize(await app.admin('POST', path, { durationMinutes: 1 }))
  }
  assert.equal(await disable(), '409 LAST_ADMINISTRATOR')
  const path = `/identity/v1/api-account-identities/${account}`
  assert.equal((await app.admin('PATCH', path, { active: false })).status, 200)
  assert.equal(await disable(), '409 LAST_ADMINISTRATOR', 'nor that of an inactive account')
  await app.makeIdentity({ isAdmin: true })
  assert.equal(await disable(), '200')
})

test('an account that exchanged is listed once, and its session shows the account itself', async (t) => {
  const { app, exchange, account } = await setUp(t)
  const session = (await exchange()).json.value
  const { id: user } = await app.makeIdentity({ isAdmin: true })
  const list = async (path: string) => (await app.admin('GET', `/identity/v1/${path}`)).json as Listed[]
  const types = async (path: string) => (await list(path)).map(({ type }) => type).toSorted()
  assert.deepEqual(await types('user-identities'), ['UserIdentity', 'UserIdentity'])
  assert.deepEqual(await types('identities'), ['ApiAccountIdentity', 'UserIdentity', 'UserIdentity'])
  const self = await app.call('GET', '/identity/v1/identities/self', undefined, { session })
  assert.deepEqual([self.json.id, self.json.type], [account, 'ApiAccountIdentity'])
  const active = async () => (await list('user-identities')).map((one) => one.active).toSorted()
  assert.deepEqual(await active(), [true, true])
  const disable = `/edge/management/v1/identities/${user}/disable`
  assert.equal((await app.admin('POST', disable, { durationMinutes: 5 })).status, 200)
  assert.deepEqual(await active(), [false, true])
  app.clock.advance(5 * 60_000)
  assert.deepEqual(await active(), [true, true])
})
