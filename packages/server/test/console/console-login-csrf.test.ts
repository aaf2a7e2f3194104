import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ADMIN_PASSWORD, type Reply, type TestApp } from '../http/build-app.ts'
import { cookiesOf, HOST, logInByPage, OWN_PAGE } from './console-app.fixture.ts'
import { setUpConsoleLogin } from './scripted-provider.fixture.ts'

const OWN_SESSION = '/edge/management/v1/current-api-session'
const NAVIGATION = { host: HOST, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
/** A link on another site, or an address that the user typed. */
const FROM_OUTSIDE = [
  { ...NAVIGATION, 'sec-fetch-site': 'cross-site' },
  { ...NAVIGATION, 'sec-fetch-site': 'same-site' },
  { ...NAVIGATION, 'sec-fetch-site': 'none' },
  { host: HOST },
]

/** The cookies of a reply, as a browser sends them back; for a request that another site started, without the strict ones. */
function jarOf(reply: Reply, { isCrossSite = false } = {}): string {
  const lines = cookiesOf(reply).filter((line) => !(isCrossSite && line.includes('SameSite=Strict')))
  return lines.map((line) => line.split(';', 1)[0] ?? '').join('; ')
}

async function setUp(t: TestContext) {
  const set = await setUpConsoleLogin(t)
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const page = await logInByPage(set.app)
  assert.equal(page.status, 200, page.text)
  return { ...set, signer, page }
}

async function isLive(app: TestApp, reply: Reply): Promise<boolean> {
  const headers = { ...OWN_PAGE, cookie: jarOf(reply) }
  return (await app.call('GET', OWN_SESSION, undefined, { headers })).status === 200
}

test('Q-08 another site cannot start a login while the browser has a session, with or without the strict cookie', async (t) => {
  const { app, begin, signer, page, startLogin, requests } = await setUp(t)
  for (const headers of FROM_OUTSIDE) {
    for (const isCrossSite of [true, false]) {
      const cookie = jarOf(page, { isCrossSite })
      assert.notEqual(cookie, '')
      const reply = await begin(signer, { query: '?next=/console/signers', headers: { ...headers, cookie } })
      assert.deepEqual([reply.status, reply.headers.location, cookiesOf(reply)], [303, '/console/signers', []])
    }
  }
  assert.equal(requests.documents, 0)
  assert.equal(await isLive(app, page), true)

  await startLogin(signer, { headers: { ...OWN_PAGE, cookie: jarOf(page) } })
  for (const headers of FROM_OUTSIDE) await startLogin(signer, { headers })
  await app.call('DELETE', '/console/session', undefined, { headers: { ...OWN_PAGE, cookie: jarOf(page) } })
  const ended = { ...NAVIGATION, 'sec-fetch-site': 'cross-site', cookie: jarOf(page, { isCrossSite: true }) }
  await startLogin(signer, { headers: ended })
})

test('Q-08 a login starts by a navigation only, unless the console starts it', async (t) => {
  const { begin, signer, startLogin } = await setUp(t)
  for (const parts of [{ 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }, { 'sec-fetch-dest': 'iframe' }]) {
    const headers = { ...NAVIGATION, ...parts, 'sec-fetch-site': 'cross-site' }
    assert.equal((await begin(signer, { headers })).status, 403)
    await startLogin(signer, { headers: { ...headers, 'sec-fetch-site': 'same-origin' } })
  }
})

test('Q-08 a login at the provider ends the session that it replaces', async (t) => {
  const { app, signer, page, startLogin, finishLogin } = await setUp(t)
  const started = await startLogin(signer, { headers: { ...OWN_PAGE, cookie: jarOf(page) } })
  assert.equal(await isLive(app, page), true, 'a started login ends nothing')
  const back = await finishLogin(started)
  assert.equal(await isLive(app, back), true)
  assert.equal(await isLive(app, page), false)
})

test('Q-08 a login at the provider ends a session that began after it, in the same browser only', async (t) => {
  const { app, signer, page, startLogin, finishLogin } = await setUp(t)
  const started = await startLogin(signer)
  const later = await logInByPage(app)
  const cookie = `${started.cookie}; ${jarOf(later, { isCrossSite: true })}`
  assert.equal((await finishLogin({ ...started, cookie })).status, 303)
  assert.equal(await isLive(app, later), false)
  assert.equal(await isLive(app, page), true, 'the session of another browser')
})

test('Q-01 a login by password ends the session that it replaces', async (t) => {
  const { app, page } = await setUp(t)
  const body = { username: 'admin', password: ADMIN_PASSWORD }
  const headers = { ...OWN_PAGE, cookie: jarOf(page) }
  const refused = await app.call('POST', '/console/session', { ...body, password: 'another' }, { headers })
  assert.equal(refused.status, 401)
  assert.equal(await isLive(app, page), true)
  const next = await app.call('POST', '/console/session', body, { headers })
  assert.equal(await isLive(app, next), true)
  assert.equal(await isLive(app, page), false)
})
