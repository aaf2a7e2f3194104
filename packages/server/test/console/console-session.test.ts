import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_PASSWORD, type TestApp } from '../http/build-app.ts'
import { summarize } from '../http/ext-jwt-signers.fixture.ts'
import { buildConsoleApp, cookiesOf, HOST, logInByPage, OWN_PAGE, sessionCookie } from './console-app.fixture.ts'

const IDENTITIES = '/edge/management/v1/identities'
const OWN_SESSION = '/edge/management/v1/current-api-session'
const NETWORKS = '/core/v2/networks'

/** Sends a request with the console's cookie and these headers. */
const callWith = (app: TestApp, cookie: string, headers: Readonly<Record<string, string>>, path = IDENTITIES) =>
  app.call('GET', path, undefined, { headers: { host: HOST, cookie, ...headers } })

test('Q-05 the console’s session is only in a cookie that no script and no other host can read', async (t) => {
  const app = await buildConsoleApp(t)
  const reply = await logInByPage(app)
  assert.equal(reply.status, 200, reply.text)
  const [cookie = '', current = '', ...others] = cookiesOf(reply)
  assert.equal(others.length, 0)
  assert.match(current, /^__Host-countersign-current=s1\.[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax$/)
  const [value = '', ...attributes] = cookie.split('; ')
  assert.match(value, /^__Host-countersign=[\w-]{51}$/)
  assert.deepEqual(attributes.toSorted(), ['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure'])
  const token = value.split('=')[1] ?? ''
  assert.equal(reply.json.data.identity.name, 'admin')
  assert.equal(reply.json.data.token, '')
  assert.equal(reply.headers['zt-session'], undefined)
  assert.equal(reply.headers['cache-control'], 'no-store')
  const own = await callWith(app, value, { 'sec-fetch-site': 'same-origin' }, OWN_SESSION)
  assert.equal(own.status, 200, own.text)
  assert.ok(!own.text.includes(token), 'scripts do not get the token')
})

test('Q-01 D45 the cookie counts on every API for calls of the console’s own page, and for no others', async (t) => {
  const app = await buildConsoleApp(t)
  const cookie = await sessionCookie(app)
  const own: Readonly<Record<string, string>>[] = [
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-origin', origin: `https://${HOST}` },
    { origin: `https://${HOST}` },
  ]
  const foreign: Readonly<Record<string, string>>[] = [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: `https://${HOST}` },
    { 'sec-fetch-site': 'same-origin', origin: 'null' },
    { origin: 'null' },
    { origin: 'https://evil.example' },
    { origin: `https://sub.${HOST}` },
    { origin: `http://${HOST}` },
    { origin: 'https://controller.example' },
    { origin: `https://${HOST}.evil.example` },
  ]
  for (const path of [IDENTITIES, '/edge/client/v1/current-identity', NETWORKS]) {
    for (const headers of own) {
      const reply = await callWith(app, cookie, headers, path)
      assert.equal(reply.status, 200, `${path} ${JSON.stringify(headers)} ${reply.text}`)
    }
    for (const headers of foreign) {
      const reply = await callWith(app, cookie, headers, path)
      assert.equal(reply.status, 403, `${path} ${JSON.stringify(headers)} ${reply.text}`)
    }
  }
})

test('Q-01 requests that other pages can make a browser send change nothing', async (t) => {
  const app = await buildConsoleApp(t)
  const cookie = await sessionCookie(app)
  const name = 'created-by-another-page'
  const body = JSON.stringify({ name, type: 'Default', isAdmin: true })
  const post = (headers: Readonly<Record<string, string>>) =>
    app.call('POST', IDENTITIES, undefined, { raw: body, headers: { host: HOST, cookie, ...headers } })
  const cross = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/json']) {
    assert.equal(summarize(await post({ ...cross, 'content-type': type })), '403 FORBIDDEN', type)
  }
  const own = { 'sec-fetch-site': 'same-origin', origin: `https://${HOST}` }
  assert.equal((await post({ ...own, 'content-type': 'text/plain' })).status, 415)
  const found = await app.admin('GET', `${IDENTITIES}?filter=${encodeURIComponent(`name="${name}"`)}`)
  assert.equal(found.json.data.length, 0)
  assert.equal((await post({ ...own, 'content-type': 'application/json' })).status, 201)
})

test('Q-01 another page can neither log in nor log out', async (t) => {
  const app = await buildConsoleApp(t)
  for (const site of ['cross-site', 'same-site', 'none']) {
    const reply = await logInByPage(app, { host: HOST, 'sec-fetch-site': site })
    assert.equal(summarize(reply), '403 FORBIDDEN')
    assert.deepEqual(cookiesOf(reply), [])
  }
  const cookie = await sessionCookie(app)
  const end = (headers: Readonly<Record<string, string>>) =>
    app.call('DELETE', '/console/session', undefined, { headers: { host: HOST, cookie, ...headers } })
  assert.equal(summarize(await end({ 'sec-fetch-site': 'cross-site' })), '403 FORBIDDEN')
  assert.equal((await callWith(app, cookie, OWN_PAGE)).status, 200)
})

test('logout ends the session and clears the cookie, also when the session is gone already', async (t) => {
  const app = await buildConsoleApp(t)
  const cookie = await sessionCookie(app)
  const token = cookie.split('=')[1] ?? ''
  assert.equal((await app.call('GET', IDENTITIES, undefined, { session: token })).status, 200)
  for (const time of ['first', 'second']) {
    const reply = await app.call('DELETE', '/console/session', undefined, { headers: { ...OWN_PAGE, cookie } })
    assert.equal(reply.status, 200, time)
    const gone = '; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0'
    const names = ['', '-second', '-second-2', '-second-3', '-second-4', '-second-5', '-current']
    assert.deepEqual(
      cookiesOf(reply),
      names.map((name) => `__Host-countersign${name}=${gone}`),
    )
  }
  assert.equal((await app.call('GET', IDENTITIES, undefined, { session: token })).status, 401)
  assert.equal((await callWith(app, cookie, OWN_PAGE)).status, 401)
})

test('the console learns without an error whether its browser has a session', async (t) => {
  const app = await buildConsoleApp(t)
  const look = async (headers: Readonly<Record<string, string>>) => {
    const { status, json } = await app.call('GET', '/console/session', undefined, {
      headers: { ...OWN_PAGE, ...headers },
    })
    return status === 200 ? json.data.isLive : status
  }
  const cookie = await sessionCookie(app)
  assert.equal(await look({ cookie }), true)
  assert.equal(await look({}), false, 'no cookie')
  assert.equal(await look({ cookie: '__Host-countersign=of-nothing' }), false)
  assert.equal(await look({ cookie, 'sec-fetch-site': 'cross-site' }), 403, 'another page learns nothing')
  await app.call('DELETE', '/console/session', undefined, { headers: { ...OWN_PAGE, cookie } })
  assert.equal(await look({ cookie }), false, 'an ended session')
})

test('D45 a cookie next to another credential does not count, whatever that credential is', async (t) => {
  const app = await buildConsoleApp(t)
  const cookie = await sessionCookie(app)
  const plain = await app.makeIdentity()
  assert.equal((await callWith(app, cookie, OWN_PAGE)).status, 200)
  const withCredential = (headers: Readonly<Record<string, string>>, path = IDENTITIES) =>
    callWith(app, cookie, { ...OWN_PAGE, ...headers }, path)
  for (const path of [IDENTITIES, NETWORKS]) {
    assert.equal((await withCredential({ authorization: 'Bearer of-nothing' }, path)).status, 401)
    assert.equal((await withCredential({ authorization: 'Basic Zm9vOmJhcg==' }, path)).status, 401)
    assert.equal((await withCredential({ 'zt-session': 'wrong' }, path)).status, 401)
  }
  assert.equal(
    (await withCredential({ 'zt-session': plain.session })).status,
    401,
    'a plain identity cannot list identities',
  )
  const own = await withCredential({ 'zt-session': plain.session }, OWN_SESSION)
  assert.equal(own.json.data.identityId, plain.id)
})

test('two cookies of the same name are both ignored', async (t) => {
  const app = await buildConsoleApp(t)
  const cookie = await sessionCookie(app)
  assert.equal((await callWith(app, `theme=dark; ${cookie}; x=1`, OWN_PAGE)).status, 200)
  assert.equal((await callWith(app, `${cookie}; ${cookie}`, OWN_PAGE)).status, 401)
  assert.equal((await callWith(app, `x${cookie}`, OWN_PAGE)).status, 401)
})

test('a refused password of the console is recorded like any other', async (t) => {
  const app = await buildConsoleApp(t)
  const credentials = { username: 'admin', password: `${ADMIN_PASSWORD}-not` }
  const reply = await app.call('POST', '/console/session', credentials, { headers: OWN_PAGE })
  assert.equal(summarize(reply), '401 INVALID_AUTH')
  assert.deepEqual(cookiesOf(reply), [])
  const decision = await app.admin('GET', `/edge/management/v1/auth-decisions/${reply.json.error.requestId}`)
  assert.equal(decision.status, 200, decision.text)
})

test('Q-02 other origins are never allowed to send cookies, and no origin is reflected', async (t) => {
  const app = await buildConsoleApp(t)
  const cookie = await sessionCookie(app)
  for (const origin of ['https://evil.example', 'null', `https://${HOST}.evil.example`]) {
    const headers = { host: HOST, origin, 'access-control-request-method': 'GET' }
    const preflight = await app.call('OPTIONS', IDENTITIES, undefined, { headers })
    assert.equal(preflight.headers['access-control-allow-origin'], '*')
    assert.equal(preflight.headers['access-control-allow-credentials'], undefined)
    const reply = await callWith(app, cookie, { origin, 'sec-fetch-site': 'cross-site' })
    assert.equal(reply.status, 403)
    assert.equal(reply.headers['access-control-allow-credentials'], undefined)
    assert.notEqual(reply.headers['access-control-allow-origin'], origin)
  }
})
