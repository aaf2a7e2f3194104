import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setUpHosted } from './hosted.fixture.ts'

async function setUp(t: Parameters<typeof setUpHosted>[0], role = 'admin') {
  const hosted = await setUpHosted(t)
  const account = await hosted.createAccount(await hosted.createProvider('cognito'), 'machine', { role })
  const bearer = hosted.token('cognito', 'machine')
  const [local] = (await hosted.call('GET', '/core/v3/networks', bearer)).json._embedded.networkList
  const exchange = (body: unknown = { type: 'session' }, id = local.id) =>
    hosted.call('POST', `/core/v3/networks/${id}/exchange`, bearer, body)
  const withSession = (session: string, method: string, path: string, body?: unknown) =>
    hosted.app.call(method, `/edge/management/v1/${path}`, body, { session })
  return { ...hosted, account, bearer, exchange, withSession }
}

test('D46 an account trades its token for a session of this controller, with the rights of its role', async (t) => {
  const { exchange, withSession, account } = await setUp(t)
  const reply = await exchange()
  assert.equal(reply.status, 200, reply.text)
  assert.match(reply.json.networkControllerUrl, /^https:\/\/.*\/edge\/management\/v1$/)
  const session = reply.json.value
  const self = await withSession(session, 'GET', 'current-identity')
  assert.deepEqual([self.json.data.id, self.json.data.isAdmin], [`api-account:${account}`, true])
  assert.equal((await withSession(session, 'GET', 'identities')).status, 200)
  const body = { name: 'made by machine', type: 'Default', isAdmin: false }
  assert.equal((await withSession(session, 'POST', 'identities', body)).status, 201)
  assert.equal((await exchange({ type: 'SESSION' })).status, 200)
  assert.equal((await exchange({ type: 'password' })).status, 400)
})

test('D46 a read-only account reads there and changes nothing', async (t) => {
  const { exchange, withSession } = await setUp(t, 'read-only')
  const session = (await exchange()).json.value
  assert.equal((await withSession(session, 'GET', 'identities')).status, 200)
  const body = { name: 'x', type: 'Default', isAdmin: false }
  assert.equal((await withSession(session, 'POST', 'identities', body)).status, 401)
})

test('D46 its sessions end with the account, and with its role its rights change', async (t) => {
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

test('D46 an account that is made read-only changes nothing any more, in the sessions it has as well', async (t) => {
  const { app, exchange, withSession, account } = await setUp(t)
  const session = (await exchange()).json.value
  let count = 0
  const change = async () => {
    count += 1
    const body = { name: `made by machine ${count}`, type: 'Default', isAdmin: false }
    return (await withSession(session, 'POST', 'identities', body)).status
  }
  const become = async (role: string) =>
    (await app.admin('PATCH', `/identity/v1/api-account-identities/${account}`, { role })).status
  assert.equal(await change(), 201)
  assert.equal(await become('read-only'), 200)
  assert.equal(await change(), 401)
  assert.equal((await withSession(session, 'GET', 'identities')).status, 200)
  assert.equal(await become('admin'), 200)
  assert.equal(await change(), 201)
})

test('D46 the identity has no other way in: not even a signer that asserts its id lets it in', async (t) => {
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
  const signIn = (sub: string) => {
    const headers = { authorization: `Bearer ${token('cognito', 'x', { sub, aud: 'overlay' }, key)}` }
    return app.call('POST', '/edge/client/v1/authenticate?method=ext-jwt', undefined, { headers })
  }
  const plain = await app.admin('POST', '/edge/management/v1/identities', {
    name: 'p',
    type: 'Default',
    isAdmin: false,
  })
  assert.equal((await signIn(plain.json.data.id)).status, 200)
  assert.equal((await signIn(`api-account:${account}`)).status, 401)
})

test('D46 a network with a controller of its own is 409, and so says why', async (t) => {
  const { call, bearer, exchange } = await setUp(t)
  const body = { name: 'elsewhere', controllerUrl: 'https://ctrl.example.net' }
  const { id } = (await call('POST', '/core/v3/networks', bearer, body)).json
  const reply = await exchange({ type: 'session' }, id)
  assert.deepEqual([reply.status, reply.json.status.label], [409, 'CONFLICT'])
  assert.equal((await exchange({ type: 'session' }, 'nothing')).status, 404)
})
