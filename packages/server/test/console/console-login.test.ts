import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Reply } from '../http/build-app.ts'
import { decisionOf, SIGNERS } from '../http/provider.fixture.ts'
import { cookiesOf, HOST, OWN_PAGE } from './console-app.fixture.ts'
import { ALICE, CLIENT_ID, type ConsoleLogin, challengeOf, setUpConsoleLogin } from './scripted-provider.fixture.ts'

const OWN_IDENTITY = '/edge/client/v1/current-identity'
const CLEARED = '__Host-countersign-login=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0'

/** The cookie of the session that an answer opens; undefined when it opens none. */
function sessionOf(reply: Reply): string | undefined {
  const line = cookiesOf(reply).find((cookie) => cookie.startsWith('__Host-countersign='))
  return line?.split(';', 1)[0]
}

/** What the console is told of a sign-in that came to nothing: the word, and the request id. */
function problemOf(reply: Reply): { why: string | null; id: string } {
  assert.equal(reply.status, 303, reply.text)
  assert.equal(sessionOf(reply), undefined)
  const url = new URL(reply.headers.location ?? '', 'https://own.example')
  assert.equal(url.origin + url.pathname, 'https://own.example/console/')
  return { why: url.searchParams.get('why'), id: url.searchParams.get('error') ?? '' }
}

async function signIn({ goAway, comeBack }: ConsoleLogin, signerId: string, query = ''): Promise<Reply> {
  return comeBack(await goAway(signerId, { query }))
}

test('Q-08 Q-05 somebody signs in at the provider by code and PKCE, and only the cookie knows of it', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, issuer, forms, goAway, comeBack } = set
  const id = await set.createIdentity()
  const away = await goAway(await set.createLoginSigner())
  assert.equal(away.url.pathname, '/auth')
  const { state = '', nonce = '', code_challenge: challenge, ...asked } = away.asked
  assert.deepEqual(asked, {
    tenant: 'one',
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: `https://${HOST}/console/callback`,
    scope: 'openid email',
    code_challenge_method: 'S256',
  })
  for (const value of [state, nonce]) assert.match(value, /^[\w-]{43}$/)
  assert.match(
    away.setCookie,
    /^__Host-countersign-login=s1\.[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
  )

  const back = await comeBack(away)
  assert.equal(back.status, 303, back.text)
  assert.equal(back.headers.location, '/console/')
  assert.equal(back.headers['referrer-policy'], 'no-referrer')
  const [session = '', cleared] = cookiesOf(back)
  assert.match(session, /^__Host-countersign=[\w-]{51}; Path=\/; Secure; HttpOnly; SameSite=Strict$/)
  assert.equal(cleared, CLEARED)
  const { code_verifier: verifier = '', ...form } = Object.fromEntries(forms[0] ?? [])
  assert.equal(challengeOf(verifier), challenge)
  assert.deepEqual(form, {
    grant_type: 'authorization_code',
    code: 'the-code',
    redirect_uri: `https://${HOST}/console/callback`,
    client_id: CLIENT_ID,
  })
  assert.equal(forms.length, 1)
  const own = await app.call('GET', OWN_IDENTITY, undefined, {
    headers: { ...OWN_PAGE, cookie: sessionOf(back) ?? '' },
  })
  assert.equal(own.json.data.id, id, own.text)
  assert.ok(issuer.startsWith('http://127.0.0.1'))
})

test('Q-08 a state that is missing, made up, used, old or of another browser is refused, and no code is sent anywhere', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, forms, goAway, comeBack } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const refused = async (reply: Promise<Reply>) => assert.equal(problemOf(await reply).why, 'expired')

  await refused(comeBack(await goAway(signer), { state: undefined }))
  await refused(comeBack(await goAway(signer), { state: 'x'.repeat(43) }))
  await refused(comeBack({ ...(await goAway(signer)), cookie: '' }))
  await refused(comeBack({ ...(await goAway(signer)), cookie: (await goAway(signer)).cookie }))
  const old = await goAway(signer)
  app.clock.advance(600_001)
  await refused(comeBack(old))
  assert.equal(forms.length, 0)

  const good = await goAway(signer)
  app.clock.advance(599_000)
  assert.equal((await comeBack(good)).headers.location, '/console/')
  await refused(comeBack(good))
  assert.equal(forms.length, 1)
})

test('Q-08 an answer of another issuer, without its issuer, with an error or without a code is refused', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { forms, script, goAway, comeBack } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const why = async (members: Readonly<Record<string, string | undefined>>) =>
    problemOf(await comeBack(await goAway(signer), members)).why
  assert.equal(await why({ iss: 'https://evil.example' }), 'provider')
  assert.equal(await why({ iss: undefined }), 'provider')
  assert.equal(await why({ code: undefined, error: 'access_denied' }), 'denied')
  assert.equal(await why({ code: undefined, error: 'server_error' }), 'provider')
  assert.equal(await why({ code: undefined }), 'provider')
  assert.equal(forms.length, 0)
  assert.equal((await signIn(set, signer)).headers.location, '/console/')

  script.document = { authorization_response_iss_parameter_supported: false }
  const silent = await set.createLoginSigner({ name: 'silent', audience: 'silent' })
  script.accessToken = { aud: 'silent' }
  const back = await comeBack(await goAway(silent), { iss: undefined })
  assert.equal(back.headers.location, '/console/', 'a provider that does not name itself need not')
  assert.equal(problemOf(await comeBack(await goAway(silent), { iss: 'https://evil.example' })).why, 'provider')
})

test('Q-08 an ID token of another sign-in, issuer or client is refused, and so is none', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { script } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const bad = [{ nonce: 'of-another' }, { nonce: undefined }, { iss: 'https://evil.example' }, { aud: 'another' }]
  for (const idToken of bad) {
    script.idToken = idToken
    assert.equal(problemOf(await signIn(set, signer)).why, 'provider', JSON.stringify(idToken))
  }
  script.idToken = {}
  script.answer = { id_token: undefined }
  assert.equal(problemOf(await signIn(set, signer)).why, 'provider')
  script.answer = {}
  assert.equal((await signIn(set, signer)).headers.location, '/console/')
})

test('Q-08 after signing in it goes on inside the console only', async (t) => {
  const set = await setUpConsoleLogin(t)
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const ends = async (next: string) => (await signIn(set, signer, `?next=${encodeURIComponent(next)}`)).headers.location
  assert.equal(await ends('/console/signers?sort=name'), '/console/signers?sort=name')
  const foreign = [
    'https://evil.example/',
    '//evil.example/console/',
    '/\\evil.example',
    '/console/../edge/client/v1',
    '/console/%2e%2e/%2e%2e/x',
    '/console/\\..\\..\\x',
    '/consolex',
    'javascript:alert(1)',
    '/console/\r\nset-cookie: a=b',
    ' /console/',
    '',
  ]
  for (const next of foreign) assert.equal(await ends(next), '/console/', next)
})

test('a refused token is on record under the id that the console shows', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app } = set
  const signer = await set.createLoginSigner()
  const { why, id } = problemOf(await signIn(set, signer))
  assert.equal(why, 'refused')
  assert.equal((await decisionOf(app, id)).id, id)
  await set.createIdentity({ externalId: ALICE })
  assert.equal((await signIn(set, signer)).headers.location, '/console/')
})

/** A controller that takes three refused sign-ins of one address, and then one each second. */
async function setUpLimited(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-login-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const config = join(dir, 'settings.yaml')
  writeFileSync(config, JSON.stringify({ limits: { addressBurst: 3, addressPerSecond: 1 } }))
  return setUpConsoleLogin(t, { config })
}

test('R-01 sign-ins that come to nothing count against their address, those that are begun do not', async (t) => {
  const set = await setUpLimited(t)
  const signer = await set.createLoginSigner()
  for (let nth = 0; nth < 5; nth++) await set.goAway(signer)
  const away = await set.goAway(signer)
  const refused = () => set.comeBack(away, { state: 'made-up' })
  for (let nth = 0; nth < 3; nth++) assert.equal(problemOf(await refused()).why, 'expired')
  assert.equal((await refused()).status, 429)
})

test('R-01 made-up codes count against their address, and over the limit none is sent to the provider', async (t) => {
  const set = await setUpLimited(t)
  const { forms, script } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const aways = [await set.goAway(signer), await set.goAway(signer), await set.goAway(signer), await set.goAway(signer)]
  script.status = 400
  const replies: Reply[] = []
  for (const away of aways) replies.push(await set.comeBack(away, { code: 'made-up' }))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [303, 303, 303, 429],
  )
  assert.equal(replies[3]?.headers['retry-after'], '1')
  assert.equal(forms.length, 3)
  script.status = 200
  set.app.clock.advance(1_000)
  for (let nth = 0; nth < 5; nth++) assert.equal((await signIn(set, signer)).headers.location, '/console/')
})

test('F-08 a provider that is down is asked once in five seconds, and who tries again later signs in', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, asked, begin, script } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  script.status = 500
  const replies = await Promise.all(Array.from({ length: 50 }, () => begin(signer)))
  for (const reply of replies) assert.equal(problemOf(reply).why, 'provider')
  app.clock.advance(4_000)
  assert.equal(problemOf(await begin(signer)).why, 'provider')
  assert.equal(asked.documents, 1)
  script.status = 200
  app.clock.advance(1_000)
  assert.equal((await signIn(set, signer)).headers.location, '/console/')
  assert.equal(asked.documents, 2)
})

test('who has changed the signer of a provider that was down need not wait', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, begin, issuer } = set
  const signer = await set.createLoginSigner({ issuer: 'https://mistyped.example' })
  assert.equal(problemOf(await begin(signer)).why, 'provider')
  assert.equal((await app.admin('PATCH', `${SIGNERS}/${signer}`, { issuer })).status, 200)
  await set.goAway(signer)
})

test('F-06 sign-ins that begin at once share one fetch, and so do those of the next five minutes', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, asked, begin, goAway } = set
  const signer = await set.createLoginSigner()
  const replies = await Promise.all(Array.from({ length: 50 }, () => begin(signer)))
  for (const { headers } of replies) assert.ok(headers.location?.startsWith(set.issuer))
  app.clock.advance(299_000)
  await goAway(signer)
  assert.equal(asked.documents, 1)
  app.clock.advance(1_000)
  await goAway(signer)
  assert.equal(asked.documents, 2)
  app.clock.advance(-3_600_000)
  await goAway(signer)
  assert.equal(asked.documents, 3, 'a clock that is set back keeps it no longer')
})

test('a provider that is down fills no log: few warnings, each one line without a stack', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, begin } = set
  const signer = await set.createLoginSigner()
  set.script.status = 500
  const replies: Reply[] = []
  for (let nth = 0; nth < 30; nth++) replies.push(await begin(signer))
  const lines = app.logged.filter((line) => line.includes('a sign-in to the console came to nothing'))
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
  assert.equal(warnings.length, 20)
  assert.deepEqual(
    warnings.map(({ requestId }) => requestId),
    replies.slice(0, 20).map((reply) => problemOf(reply).id),
  )
  assert.match(warnings[0].problem, /HTTP 500/)
  assert.equal(lines.length, 30, 'the others are there for whoever looks closer')
  for (const line of lines) assert.ok(line.length < 400, line)
  app.clock.advance(5_000)
  const { id } = problemOf(await begin(signer))
  assert.match(app.logged.find((line) => line.includes(id)) ?? '', /"level":40/)
})

test('the token that the signer is for signs in: an ID token where it says so', async (t) => {
  const set = await setUpConsoleLogin(t)
  await set.createIdentity()
  const signer = await set.createLoginSigner({ audience: CLIENT_ID, targetToken: 'ID' })
  set.script.answer = { access_token: 'of no use' }
  assert.equal((await signIn(set, signer)).headers.location, '/console/')
})

test('a signer that nobody can sign in at is told apart from a provider that cannot be used', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { begin, script } = set
  const why = async (signerId: string) => problemOf(await begin(signerId)).why
  assert.equal(await why('nobody'), 'signer')
  assert.equal(await why(await set.createSigner()), 'signer')
  const make = (name: string) => set.createLoginSigner({ name, audience: name })
  assert.equal(await why(await set.createLoginSigner({ name: 'off', audience: 'off', enabled: false })), 'signer')
  const documents = [
    { issuer: 'https://evil.example' },
    { authorization_endpoint: 'javascript:alert(1)' },
    { authorization_endpoint: 'http://evil.example/auth' },
    { token_endpoint: undefined },
  ]
  for (const [index, document] of documents.entries()) {
    script.document = document
    assert.equal(await why(await make(`bad-${index}`)), 'provider', JSON.stringify(document))
  }
  script.document = {}
  assert.equal((await begin(await make('good'))).headers.location?.startsWith(set.issuer), true)
})
