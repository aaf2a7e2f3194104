import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Reply } from '../http/build-app.ts'
import { decisionOf, SIGNERS } from '../http/provider.fixture.ts'
import { until } from '../keyset/fake-time.ts'
import { cookiesOf, HOST, OWN_PAGE } from './console-app.fixture.ts'
import { ALICE, CLIENT_ID, type ConsoleLogin, challengeOf, setUpConsoleLogin } from './scripted-provider.fixture.ts'

const NO_CLASSES = { requireMixedCase: false, requireNumberChar: false, requireSpecialChar: false }
const OWN_IDENTITY = '/edge/client/v1/current-identity'
const CLEARED = '__Host-countersign-login=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0'

/** The cookie of the session that a reply opens, or undefined. */
function sessionOf(reply: Reply): string | undefined {
  const line = cookiesOf(reply).find((cookie) => cookie.startsWith('__Host-countersign='))
  return line?.split(';', 1)[0]
}

/** The error code and request id that the console gets when a login fails. */
function errorOf(reply: Reply): { why: string | null; id: string } {
  assert.equal(reply.status, 303, reply.text)
  assert.equal(sessionOf(reply), undefined)
  const url = new URL(reply.headers.location ?? '', 'https://own.example')
  assert.equal(url.origin + url.pathname, 'https://own.example/console/')
  return { why: url.searchParams.get('why'), id: url.searchParams.get('error') ?? '' }
}

async function logInAtProvider(
  { startLogin, finishLogin }: ConsoleLogin,
  signerId: string,
  query = '',
): Promise<Reply> {
  return finishLogin(await startLogin(signerId, { query }))
}

test('Q-08 Q-05 a user logs in at the provider by code and PKCE, and only the cookie holds the session', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, issuer, forms, startLogin, finishLogin } = set
  const id = await set.createIdentity()
  const started = await startLogin(await set.createLoginSigner())
  assert.equal(started.url.pathname, '/auth')
  const { state = '', nonce = '', code_challenge: challenge, ...parameters } = started.parameters
  assert.deepEqual(parameters, {
    tenant: 'one',
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: `https://${HOST}/console/callback`,
    scope: 'openid email',
    code_challenge_method: 'S256',
  })
  for (const value of [state, nonce]) assert.match(value, /^[\w-]{43}$/)
  assert.match(
    started.setCookie,
    /^__Host-countersign-login=s1\.[\w.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
  )

  const back = await finishLogin(started)
  assert.equal(back.status, 303, back.text)
  assert.equal(back.headers.location, '/console/')
  assert.equal(back.headers['referrer-policy'], 'no-referrer')
  const [session = '', , cleared] = cookiesOf(back)
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

test('Q-08 a state that is missing, invented, used, old or of another browser is refused, and no code is sent', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, forms, startLogin, finishLogin } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const refused = async (reply: Promise<Reply>) => assert.equal(errorOf(await reply).why, 'expired')

  await refused(finishLogin(await startLogin(signer), { state: undefined }))
  await refused(finishLogin(await startLogin(signer), { state: 'x'.repeat(43) }))
  await refused(finishLogin({ ...(await startLogin(signer)), cookie: '' }))
  await refused(finishLogin({ ...(await startLogin(signer)), cookie: (await startLogin(signer)).cookie }))
  const old = await startLogin(signer)
  app.clock.advance(600_001)
  await refused(finishLogin(old))
  assert.equal(forms.length, 0)

  const good = await startLogin(signer)
  app.clock.advance(599_000)
  assert.equal((await finishLogin(good)).headers.location, '/console/')
  await refused(finishLogin(good))
  assert.equal(forms.length, 1)
})

test('Q-08 a provider that does not name itself in responses has an address of its own, and gets no code that came to another', async (t) => {
  const { script, forms, createIdentity, createLoginSigner, startLogin, finishLogin } = await setUpConsoleLogin(t)
  await createIdentity()
  script.document = { authorization_response_iss_parameter_supported: false }
  const signerId = await createLoginSigner()
  for (const address of [`https://${HOST}/console/callback`, `https://${HOST}/console/callback/another`]) {
    const started = await startLogin(signerId)
    const elsewhere = { ...started, parameters: { ...started.parameters, redirect_uri: address } }
    assert.equal(errorOf(await finishLogin(elsewhere, { iss: undefined })).why, 'provider')
  }
  assert.equal(forms.length, 0)
  assert.ok(sessionOf(await finishLogin(await startLogin(signerId), { iss: undefined })))
  assert.equal(forms[0]?.get('redirect_uri'), `https://${HOST}/console/callback/${signerId}`)
})

test('Q-08 a provider that no longer names itself gets no code that came to the shared address without an issuer', async (t) => {
  const { app, script, forms, createIdentity, createLoginSigner, startLogin, finishLogin } = await setUpConsoleLogin(t)
  await createIdentity()
  const started = await startLogin(await createLoginSigner())
  script.document = { authorization_response_iss_parameter_supported: false }
  app.clock.advance(301_000)
  assert.equal(errorOf(await finishLogin(started, { iss: undefined })).why, 'provider')
  assert.equal(forms.length, 0)
})

test('Q-08 a response of another issuer, without its issuer, with an error or without a code is refused', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { forms, script, startLogin, finishLogin } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const why = async (members: Readonly<Record<string, string | undefined>>) =>
    errorOf(await finishLogin(await startLogin(signer), members)).why
  assert.equal(await why({ iss: 'https://evil.example' }), 'provider')
  assert.equal(await why({ iss: undefined }), 'provider')
  assert.equal(await why({ code: undefined, error: 'access_denied' }), 'denied')
  assert.equal(await why({ code: undefined, error: 'server_error' }), 'provider')
  assert.equal(await why({ code: undefined }), 'provider')
  assert.equal(forms.length, 0)
  assert.equal((await logInAtProvider(set, signer)).headers.location, '/console/')

  script.document = { authorization_response_iss_parameter_supported: false }
  const withoutIss = await set.createLoginSigner({ name: 'withoutIss', audience: 'withoutIss' })
  script.accessToken = { aud: 'withoutIss' }
  const back = await finishLogin(await startLogin(withoutIss), { iss: undefined })
  assert.equal(back.headers.location, '/console/', 'a provider without iss support may omit it')
  assert.equal(
    errorOf(await finishLogin(await startLogin(withoutIss), { iss: 'https://evil.example' })).why,
    'provider',
  )
})

test('Q-08 an ID token of another login, issuer or client is refused, and so is a missing one', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { script } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const bad = [{ nonce: 'another-nonce' }, { nonce: undefined }, { iss: 'https://evil.example' }, { aud: 'another' }]
  for (const idToken of bad) {
    script.idToken = idToken
    assert.equal(errorOf(await logInAtProvider(set, signer)).why, 'provider', JSON.stringify(idToken))
  }
  script.idToken = {}
  script.tokenResponse = { id_token: undefined }
  assert.equal(errorOf(await logInAtProvider(set, signer)).why, 'provider')
  script.tokenResponse = {}
  assert.equal((await logInAtProvider(set, signer)).headers.location, '/console/')
})

test('Q-08 a login leads only to addresses inside the console', async (t) => {
  const set = await setUpConsoleLogin(t)
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const target = async (next: string) =>
    (await logInAtProvider(set, signer, `?next=${encodeURIComponent(next)}`)).headers.location
  assert.equal(await target('/console/signers?sort=name'), '/console/signers?sort=name')
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
  for (const next of foreign) assert.equal(await target(next), '/console/', next)
})

test('a refused token is recorded under the id that the console shows', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app } = set
  const signer = await set.createLoginSigner()
  const { why, id } = errorOf(await logInAtProvider(set, signer))
  assert.equal(why, 'refused')
  assert.equal((await decisionOf(app, id)).id, id)
  await set.createIdentity({ externalId: ALICE })
  assert.equal((await logInAtProvider(set, signer)).headers.location, '/console/')
})

async function setUpConfigured(t: TestContext, settings: object) {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-login-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const config = join(dir, 'settings.yaml')
  writeFileSync(config, JSON.stringify(settings))
  return setUpConsoleLogin(t, { config })
}

/** A controller that accepts three refused logins of one address, and then one each second. */
const setUpLimited = (t: TestContext) => setUpConfigured(t, { limits: { addressBurst: 3, addressPerSecond: 1 } })

test('R-01 failed logins count against their address, started ones do not', async (t) => {
  const set = await setUpLimited(t)
  const signer = await set.createLoginSigner()
  for (let nth = 0; nth < 5; nth++) await set.startLogin(signer)
  const started = await set.startLogin(signer)
  const refused = () => set.finishLogin(started, { state: 'made-up' })
  for (let nth = 0; nth < 3; nth++) assert.equal(errorOf(await refused()).why, 'expired')
  assert.equal((await refused()).status, 429)
})

test('R-01 invented codes count against their address, and beyond the limit none is sent to the provider', async (t) => {
  const set = await setUpLimited(t)
  const { forms, script } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const logins = [
    await set.startLogin(signer),
    await set.startLogin(signer),
    await set.startLogin(signer),
    await set.startLogin(signer),
  ]
  script.status = 400
  const replies: Reply[] = []
  for (const started of logins) replies.push(await set.finishLogin(started, { code: 'made-up' }))
  assert.deepEqual(
    replies.map(({ status }) => status),
    [303, 303, 303, 429],
  )
  assert.equal(replies[3]?.headers['retry-after'], '1')
  assert.equal(forms.length, 3)
  script.status = 200
  set.app.clock.advance(1_000)
  for (let nth = 0; nth < 5; nth++) assert.equal((await logInAtProvider(set, signer)).headers.location, '/console/')
})

test('S-11 invented codes of one network reach the provider a few at a time, and a login from another is not delayed', async (t) => {
  const set = await setUpConfigured(t, { http: { trustedProxies: ['127.0.0.1'] }, limits: { addressBurst: 0 } })
  const { app, forms, script, startLogin, finishLogin } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  const answered = Promise.withResolvers<void>()
  script.inventedAfter = answered.promise
  const nodes = app.stores.length
  const started = []
  for (let nth = 0; nth < 110 * nodes; nth++) started.push(await startLogin(signer))
  const replies = started.map((login) => finishLogin(login, { code: 'made-up' }, { 'x-forwarded-for': '192.0.2.1' }))
  await until(() => forms.length >= 4 * nodes)
  const own = await finishLogin(await startLogin(signer), {}, { 'x-forwarded-for': '192.0.2.2' })
  assert.equal(own.headers.location, '/console/', own.text)
  assert.equal(forms.length, 4 * nodes + 1)
  answered.resolve()
  const refused = (await Promise.all(replies)).filter(({ status }) => status === 429)
  assert.equal(refused.length, 6 * nodes, 'beyond a hundred that wait')
})

test('F-08 a provider that is down is asked once in five seconds, and a later attempt logs in', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, requests, begin, script } = set
  await set.createIdentity()
  const signer = await set.createLoginSigner()
  script.status = 500
  const replies = await Promise.all(Array.from({ length: 50 }, () => begin(signer)))
  for (const reply of replies) assert.equal(errorOf(reply).why, 'provider')
  app.clock.advance(4_000)
  assert.equal(errorOf(await begin(signer)).why, 'provider')
  assert.equal(requests.documents, 1)
  script.status = 200
  app.clock.advance(1_000)
  assert.equal((await logInAtProvider(set, signer)).headers.location, '/console/')
  assert.equal(requests.documents, 2)
})

test('a changed signer is tried at once, even if its provider was down', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, begin, issuer } = set
  const signer = await set.createLoginSigner({ issuer: 'https://mistyped.example' })
  assert.equal(errorOf(await begin(signer)).why, 'provider')
  assert.equal((await app.admin('PATCH', `${SIGNERS}/${signer}`, { issuer })).status, 200)
  await set.startLogin(signer)
})

test('F-06 concurrent logins share one fetch, and so do those of the next five minutes', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, requests, begin, startLogin } = set
  const signer = await set.createLoginSigner()
  const replies = await Promise.all(Array.from({ length: 50 }, () => begin(signer)))
  for (const { headers } of replies) assert.ok(headers.location?.startsWith(set.issuer))
  app.clock.advance(299_000)
  await startLogin(signer)
  assert.equal(requests.documents, 1)
  app.clock.advance(1_000)
  await startLogin(signer)
  assert.equal(requests.documents, 2)
  app.clock.advance(-3_600_000)
  await startLogin(signer)
  assert.equal(requests.documents, 3, 'a clock that is set back does not extend the cache')
})

test('a provider that is down causes few warnings, each one line without a stack', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, begin } = set
  const signer = await set.createLoginSigner()
  set.script.status = 500
  const replies: Reply[] = []
  for (let nth = 0; nth < 30; nth++) replies.push(await begin(signer))
  const lines = app.logged.filter((line) => line.includes('a console login failed'))
  const warnings = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 40)
  assert.equal(warnings.length, 20)
  assert.deepEqual(
    warnings.map(({ requestId }) => requestId),
    replies.slice(0, 20).map((reply) => errorOf(reply).id),
  )
  assert.match(warnings[0].problem, /HTTP 500/)
  assert.equal(lines.length, 30, 'the others are logged at a lower level')
  for (const line of lines) assert.ok(line.length < 400, line)
  app.clock.advance(5_000)
  const { id } = errorOf(await begin(signer))
  assert.match(app.logged.find((line) => line.includes(id)) ?? '', /"level":40/)
})

test('a signer for ID tokens logs in with the ID token', async (t) => {
  const set = await setUpConsoleLogin(t)
  await set.createIdentity()
  const signer = await set.createLoginSigner({ audience: CLIENT_ID, targetToken: 'ID' })
  set.script.tokenResponse = { access_token: 'unused' }
  assert.equal((await logInAtProvider(set, signer)).headers.location, '/console/')
})

test('a signer without console login is distinguished from a provider that fails', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { begin, script } = set
  const why = async (signerId: string) => errorOf(await begin(signerId)).why
  assert.equal(await why('unknown'), 'signer')
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

test('a login that is too weak is repeated once at the provider, with what the policy requires', async (t) => {
  const set = await setUpConsoleLogin(t)
  const { app, script, startLogin, finishLogin, readStart } = set
  const extJwt = { allowed: true, allowedSigners: [], requireAcr: ['mfa', 'hwk'], maxAuthAgeSeconds: 60 }
  const cert = { allowed: false, allowExpiredCerts: false }
  const updb = { allowed: false, lockoutDurationMinutes: 0, maxAttempts: 0, minPasswordLength: 5 }
  const secondary = { requireTotp: false, requireExtJwtSigner: null }
  const policy = { name: 'strong', primary: { cert, extJwt, updb: { ...updb, ...NO_CLASSES } }, secondary }
  const created = await app.admin('POST', '/edge/management/v1/auth-policies', policy)
  assert.equal(created.status, 201, created.text)
  await set.createIdentity({ authPolicyId: created.json.data.id })
  const signerId = await set.createLoginSigner()
  const seconds = () => Math.floor(app.clock.now() / 1000)

  const weak = { acr: 'password', auth_time: seconds() }
  script.accessToken = weak
  const first = await startLogin(signerId, { query: '?next=/console/signers' })
  assert.equal(first.parameters.acr_values, undefined)
  const again = readStart(await finishLogin(first))
  assert.equal(again.parameters.acr_values, 'mfa hwk')
  assert.equal(again.parameters.max_age, '60')
  assert.notEqual(again.parameters.state, first.parameters.state)
  assert.equal(errorOf(await finishLogin(again)).why, 'refused', 'no third time')

  const repeated = readStart(await finishLogin(await startLogin(signerId, { query: '?next=/console/signers' })))
  script.accessToken = { ...weak, acr: 'mfa' }
  const back = await finishLogin(repeated)
  assert.equal(back.headers.location, '/console/signers', back.text)
  assert.ok(sessionOf(back))
})
