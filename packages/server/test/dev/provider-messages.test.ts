import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { channelPath, scimPath } from '../../src/http/api-paths.ts'
import { listSignerIssuers } from '../../src/store/reads/signer-reads.ts'
import { logInWithToken } from '../http/provider.fixture.ts'
import { post, setUpDev } from './dev.fixture.ts'

/** The demo of `npm start`, with messages that go straight into the pipeline of the controller. */
async function setUp(t: TestContext) {
  const { app, provider } = await setUpDev(t)
  const { base } = provider.addresses
  const [signer] = (await listSignerIssuers(app.store.db)).filter(({ issuer }) => issuer === base)
  provider.deliverBy(async (channel, token) => {
    const isEvent = channel === 'events'
    const type = isEvent ? 'application/secevent+jwt' : 'application/x-www-form-urlencoded'
    const raw = isEvent ? token : new URLSearchParams({ logout_token: token }).toString()
    const path = channelPath(signer?.id ?? '', channel)
    const { status, text } = await app.call('POST', path, undefined, { headers: { 'content-type': type }, raw })
    if (status >= 300) throw new Error(text)
    return status
  })
  provider.provisionBy(async ({ method, path, body }, token) => {
    const headers = { authorization: `Bearer ${token}` }
    const reply = await app.call(method, `${scimPath(signer?.id ?? '')}${path}`, body, { headers })
    if (reply.status >= 300) throw new Error(reply.text)
    return reply.json
  })
  const send = async (path: string, form: Readonly<Record<string, string>>) =>
    post(`${base}/dev/${path}`, new URLSearchParams(form))
  const logIn = async (person: string): Promise<string> => {
    const token = (await send('token', { person })).json.access_token
    const reply = await logInWithToken(app, token)
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.token
  }
  const isLive = async (session: string) =>
    (await app.call('GET', '/edge/client/v1/current-api-session', undefined, { session })).status === 200
  const find = async (name: string) =>
    (await app.admin('GET', `/edge/management/v1/identities?filter=name = "${name}"`)).json.data[0]
  return { app, base, send, logIn, isLive, find }
}

test('the local provider logs a person out', async (t) => {
  const { send, logIn, isLive } = await setUp(t)
  const [alice, bob] = [await logIn('alice'), await logIn('bob')]
  const sent = await send('logout', { person: 'alice' })
  assert.deepEqual([sent.status, sent.json], [200, { sent: 'backchannel-logout', response: 200 }])
  assert.deepEqual([await isLive(alice), await isLive(bob)], [false, true])
})

test('the local provider sends security events', async (t) => {
  const { send, logIn, isLive, find } = await setUp(t)
  const session = await logIn('alice')
  const revoked = await send('signal', { person: 'alice', event: 'session-revoked', format: 'iss_sub' })
  assert.deepEqual([revoked.status, revoked.json], [200, { sent: 'events', response: 202 }])
  assert.equal(await isLive(session), false)
  assert.equal((await send('signal', { person: 'bob', event: 'account-disabled' })).status, 200)
  assert.equal((await find('bob')).disabled, true)
  assert.equal((await send('signal', { person: 'bob', event: 'account-enabled' })).status, 200)
  assert.equal((await find('bob')).disabled, false)
  assert.equal((await send('signal', { person: 'bob', event: 'verification' })).status, 200)
})

test('the local provider provisions people and groups by SCIM', async (t) => {
  const { app, base, send, logIn, isLive, find } = await setUp(t)
  const created = await send('provision', { person: 'dave' })
  assert.deepEqual([created.status, created.json.active, created.json.groups], [200, true, ['contractors']])
  const { id, roleAttributes } = await find('dave@example.com')
  assert.deepEqual([id, roleAttributes], [created.json.user, ['contractors']])
  const session = await logIn('dave')
  assert.equal((await send('provision', { person: 'dave', groups: 'sales, engineering' })).status, 200)
  assert.deepEqual((await find('dave@example.com')).roleAttributes, ['engineering', 'sales'])
  assert.equal((await send('provision', { person: 'dave', active: 'false' })).status, 200)
  assert.equal(await isLive(session), false)
  const linked = await send('provision', { person: 'alice', active: 'false' })
  assert.deepEqual([linked.status, linked.json.user], [200, (await find('alice')).id])
  assert.equal((await find('alice')).disabled, true)
  assert.equal((await send('provision', { person: 'alice' })).status, 200)
  assert.equal((await find('alice')).disabled, false)

  assert.equal((await send('provision', { person: 'mallory' })).status, 400)
  assert.equal((await send('provision', { person: 'dave', active: 'maybe' })).status, 400)
  const fromPage = await post(`${base}/dev/provision`, new URLSearchParams({ person: 'dave' }), { origin: base })
  assert.equal(fromPage.status, 403)
  const [signer] = (await app.admin('GET', '/edge/management/v1/ext-jwt-signers')).json.data
  await app.admin('PATCH', `/edge/management/v1/ext-jwt-signers/${signer.id}`, { enabled: false })
  const refused = await send('provision', { person: 'dave' })
  assert.deepEqual([refused.status, refused.json.error], [502, 'not_delivered'])
})

test('the local provider reports what it cannot send', async (t) => {
  const { base, app, send } = await setUp(t)
  assert.equal((await send('logout', { person: 'mallory' })).status, 400)
  assert.equal((await send('signal', { person: 'alice', event: 'nonsense' })).status, 400)
  const fromPage = await post(`${base}/dev/logout`, new URLSearchParams({ person: 'alice' }), { origin: base })
  assert.equal(fromPage.status, 403)
  const [signer] = (await app.admin('GET', '/edge/management/v1/ext-jwt-signers')).json.data
  await app.admin('PATCH', `/edge/management/v1/ext-jwt-signers/${signer.id}`, { enabled: false })
  const refused = await send('logout', { person: 'alice' })
  assert.deepEqual([refused.status, refused.json.error], [502, 'not_delivered'])
})
