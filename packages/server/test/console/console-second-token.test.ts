import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPassword } from '../http/identities.fixture.ts'
import { makeStrictPolicy } from '../http/second-token.fixture.ts'
import { cookiesOf, HOST, OWN_PAGE } from './console-app.fixture.ts'
import { ALICE, setUpConsoleLogin } from './scripted-provider.fixture.ts'

const IDENTITIES = '/edge/management/v1/identities'
const OWN_SESSION = '/edge/management/v1/current-api-session'
const NETWORKS = '/core/v2/networks'

test('D22 D45 a second token that the console gets at the provider counts with its cookie, and with nothing else', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, script, goAway, comeBack } = set
  const signer = await set.createLoginSigner()
  const authPolicyId = await makeStrictPolicy(app, signer)
  const id = await set.createIdentity({ externalId: ALICE, isAdmin: true, authPolicyId })
  const { username, password } = await createPassword(app, id)
  const logIn = await app.call('POST', '/console/session', { username, password }, { headers: OWN_PAGE })
  assert.equal(logIn.status, 200, logIn.text)
  assert.equal(logIn.json.data.authQueries.length, 1)
  const cookie = (cookiesOf(logIn)[0] ?? '').split(';', 1)[0] ?? ''
  let second = ''
  const call = (path: string) =>
    app.call('GET', path, undefined, { headers: { ...OWN_PAGE, cookie: `${cookie}${second}` } })
  const statuses = async () => [(await call(IDENTITIES)).status, (await call(NETWORKS)).status]
  assert.deepEqual(await statuses(), [401, 401])

  const headers = { ...OWN_PAGE, cookie }
  script.accessToken = { sub: 'somebody-else' }
  const other = await comeBack(await goAway(signer, { headers }))
  assert.match(other.headers.location ?? '', /why=refused/)
  assert.deepEqual(await statuses(), [401, 401])

  script.accessToken = {}
  const back = await comeBack(await goAway(signer, { headers, query: '?next=/console/identities' }))
  assert.equal(back.headers.location, '/console/identities')
  assert.ok(
    cookiesOf(back).every((line) => !line.startsWith('__Host-countersign=')),
    'the session stays the same',
  )
  const [held = ''] = cookiesOf(back)
  assert.match(held, /^__Host-countersign-second=s1\.[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict$/)
  second = `; ${held.split(';', 1)[0]}`
  assert.deepEqual(await statuses(), [200, 200])
  const again = await app.call('POST', '/console/session', { username, password }, { headers: OWN_PAGE })
  const another = (cookiesOf(again)[0] ?? '').split(';', 1)[0] ?? ''
  const moved = { ...OWN_PAGE, cookie: `${another}${second}` }
  assert.equal((await app.call('GET', IDENTITIES, undefined, { headers: moved })).status, 401, 'it is of one session')
  assert.deepEqual((await call(OWN_SESSION)).json.data.authQueries, [])
  const token = cookie.split('=')[1] ?? ''
  assert.equal((await app.call('GET', IDENTITIES, undefined, { session: token })).status, 401)

  app.clock.advance(700_000)
  assert.deepEqual(await statuses(), [401, 401], 'the token has expired')
})

test('D22 a login that another page begins is a new session, whatever cookie comes with it', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, goAway, comeBack } = set
  const signer = await set.createLoginSigner()
  const authPolicyId = await makeStrictPolicy(app, signer)
  const id = await set.createIdentity({ externalId: ALICE, isAdmin: true, authPolicyId })
  const { username, password } = await createPassword(app, id)
  const logIn = await app.call('POST', '/console/session', { username, password }, { headers: OWN_PAGE })
  const cookie = (cookiesOf(logIn)[0] ?? '').split(';', 1)[0] ?? ''
  await comeBack(await goAway(signer, { headers: { host: HOST, cookie, 'sec-fetch-site': 'cross-site' } }))
  assert.equal((await app.call('GET', IDENTITIES, undefined, { headers: { ...OWN_PAGE, cookie } })).status, 401)
})
