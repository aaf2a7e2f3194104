import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createPassword } from '../http/identities.fixture.ts'
import { makeStrictPolicy } from '../http/second-token.fixture.ts'
import { cookiesOf, HOST, OWN_PAGE } from './console-app.fixture.ts'
import { ALICE, setUpConsoleLogin } from './scripted-provider.fixture.ts'

const IDENTITIES = '/edge/management/v1/identities'
const OWN_SESSION = '/edge/management/v1/current-api-session'
const NETWORKS = '/core/v2/networks'

/** An administrator whose policy requires a second token, with a login by password. */
async function setUpSecondToken(t: TestContext) {
  const set = await setUpConsoleLogin(t)
  const { app } = set
  const signer = await set.createLoginSigner()
  const authPolicyId = await makeStrictPolicy(app, signer)
  const id = await set.createIdentity({ externalId: ALICE, isAdmin: true, authPolicyId })
  const { username, password } = await createPassword(app, id)
  const logIn = () => app.call('POST', '/console/session', { username, password }, { headers: OWN_PAGE })
  return { ...set, signer, logIn }
}

const sessionCookieOf = (reply: Parameters<typeof cookiesOf>[0]) => (cookiesOf(reply)[0] ?? '').split(';', 1)[0] ?? ''

test('D22 D45 a second token that the console fetched counts only together with its cookie', async (t) => {
  const { app, script, startLogin, finishLogin, signer, logIn } = await setUpSecondToken(t)
  const first = await logIn()
  assert.equal(first.status, 200, first.text)
  assert.equal(first.json.data.authQueries.length, 1)
  const cookie = sessionCookieOf(first)
  let second = ''
  const call = (path: string) =>
    app.call('GET', path, undefined, { headers: { ...OWN_PAGE, cookie: `${cookie}${second}` } })
  const statuses = async () => [(await call(IDENTITIES)).status, (await call(NETWORKS)).status]
  assert.deepEqual(await statuses(), [401, 401])

  const headers = { ...OWN_PAGE, cookie }
  script.accessToken = { sub: 'another-subject' }
  const other = await finishLogin(await startLogin(signer, { headers }))
  assert.match(other.headers.location ?? '', /why=refused/)
  assert.deepEqual(await statuses(), [401, 401])

  script.accessToken = {}
  const back = await finishLogin(await startLogin(signer, { headers, query: '?next=/console/identities' }))
  assert.equal(back.headers.location, '/console/identities')
  assert.ok(
    cookiesOf(back).every((line) => !line.startsWith('__Host-countersign=')),
    'the session stays the same',
  )
  const [held = '', ...others] = cookiesOf(back)
  assert.match(held, /^__Host-countersign-second=s1\.[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Strict$/)
  assert.ok(
    others.every((line) => line.includes('Max-Age=0')),
    'no other cookie is set',
  )
  second = `; ${held.split(';', 1)[0]}`
  assert.deepEqual(await statuses(), [200, 200])
  const another = sessionCookieOf(await logIn())
  const moved = { ...OWN_PAGE, cookie: `${another}${second}` }
  assert.equal(
    (await app.call('GET', IDENTITIES, undefined, { headers: moved })).status,
    401,
    'it belongs to one session',
  )
  assert.deepEqual((await call(OWN_SESSION)).json.data.authQueries, [])
  const token = cookie.split('=')[1] ?? ''
  assert.equal((await app.call('GET', IDENTITIES, undefined, { session: token })).status, 401)

  app.clock.advance(700_000)
  assert.deepEqual(await statuses(), [401, 401], 'the token has expired')
})

test('D22 a second token that is too long for one cookie is split over several, up to the longest accepted token', async (t) => {
  const { app, script, startLogin, finishLogin, signer, logIn } = await setUpSecondToken(t)
  const cookie = sessionCookieOf(await logIn())
  const fetchToken = async (groups: string) => {
    script.accessToken = { groups }
    return finishLogin(
      await startLogin(signer, { headers: { ...OWN_PAGE, cookie }, query: '?next=/console/identities' }),
    )
  }
  const list = async (pieces: readonly string[]) =>
    (
      await app.call('GET', IDENTITIES, undefined, {
        headers: { ...OWN_PAGE, cookie: [cookie, ...pieces].join('; ') },
      })
    ).status
  const piecesOf = (lines: readonly string[]) =>
    lines
      .filter((line) => line.includes('-second') && !line.includes('Max-Age'))
      .map((line) => line.split(';', 1)[0] ?? '')

  const back = await fetchToken('g'.repeat(5_000))
  assert.equal(back.headers.location, '/console/identities')
  const pieces = piecesOf(cookiesOf(back))
  assert.equal(pieces.length, 3)
  for (const line of cookiesOf(back)) assert.ok(line.length <= 4_096, 'the limit of browsers')
  assert.equal(await list(pieces), 200)
  assert.equal(await list(pieces.toReversed()), 200, 'the names give the order')
  assert.equal(await list(pieces.slice(1)), 401)
  assert.equal(await list(pieces.slice(0, -1)), 401)

  const short = cookiesOf(await fetchToken('g'))
  assert.equal(piecesOf(short).length, 1)
  assert.equal(short.filter((line) => line.includes('-second-') && line.includes('Max-Age=0')).length, 4)

  const longest = await fetchToken('g'.repeat(8_700))
  assert.equal(longest.headers.location, '/console/identities')
  assert.equal(await list(piecesOf(cookiesOf(longest))), 200)
  const longer = await fetchToken('g'.repeat(9_200))
  const { searchParams } = new URL(longer.headers.location ?? '', `https://${HOST}`)
  assert.deepEqual([searchParams.get('why'), searchParams.get('next')], ['refused', '/console/identities'])
})

test('D22 another page cannot fetch the second token of a session', async (t) => {
  const { app, begin, signer, logIn } = await setUpSecondToken(t)
  const cookie = sessionCookieOf(await logIn())
  const reply = await begin(signer, { headers: { host: HOST, cookie, 'sec-fetch-site': 'cross-site' } })
  assert.deepEqual([reply.headers.location, cookiesOf(reply)], ['/console/', []])
  assert.equal((await app.call('GET', IDENTITIES, undefined, { headers: { ...OWN_PAGE, cookie } })).status, 401)
})
