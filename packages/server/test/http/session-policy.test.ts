import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { POLICIES } from './enroll-token.fixture.ts'
import { createPassword, expiryIsStored, IDENTITIES, OWN_SESSION } from './identities.fixture.ts'
import { MFA, startTotp, statusAndCode } from './one-time-codes.fixture.ts'
import { decisionOf, logInWithToken, refusalOf, setUpProvider } from './provider.fixture.ts'

type Members = Readonly<Record<string, unknown>>
const MINUTE = 60_000

/** A controller with a signer, and the identity of Alice under a policy of its own. */
async function setUp(t: TestContext, policyMembers: Members = {}) {
  const provider = await setUpProvider(t)
  const { app, token, createSigner, createIdentity } = provider
  await createSigner()
  const { session: _, ...policy } = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const created = await app.admin('POST', POLICIES, { ...policy, name: 'own', ...policyMembers })
  assert.equal(created.status, 201, created.text)
  const policyId = created.json.data.id as string
  const id = await createIdentity({ authPolicyId: policyId, permissions: ['identity.read'] })
  const logIn = async (claims: Members = {}): Promise<string> => {
    const reply = await logInWithToken(app, token(claims))
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.token
  }
  const use = (session: string, path = IDENTITIES) => app.call('GET', path, undefined, { session })
  const statusOf = async (session: string) => (await use(session)).status
  const patch = async (body: Members) => {
    const reply = await app.admin('PATCH', `${POLICIES}/${policyId}`, body)
    assert.equal(reply.status, 200, reply.text)
  }
  const extJwt = (members: Members) => patch({ primary: { extJwt: members } })
  /** The use of a session is written after its response, and other nodes read it from there. */
  const isStored = async (session: string) => expiryIsStored(app, (await use(session, OWN_SESSION)).json.data)
  return { ...provider, policyId, id, logIn, use, statusOf, patch, extJwt, isStored }
}

/** A session of the administrator, which is used so often that it lasts. */
async function pass(app: Awaited<ReturnType<typeof setUp>>['app'], ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 10 * MINUTE) {
    app.clock.advance(Math.min(left, 10 * MINUTE))
    await app.admin('GET', OWN_SESSION)
  }
}

test('D64 a policy without session members has none, and a PUT keeps those that it has', async (t) => {
  const { app, policyId, patch } = await setUp(t)
  const path = `${POLICIES}/${policyId}`
  const read = async () => (await app.admin('GET', path)).json.data
  const unset = { idleMinutes: null, maxMinutes: null, endWithToken: false }
  const policy = await read()
  assert.deepEqual(policy.session, unset)
  const { requireAcr, requireAmr, maxAuthAgeSeconds } = policy.primary.extJwt
  assert.deepEqual([requireAcr, requireAmr, maxAuthAgeSeconds], [[], [], null])
  await patch({ session: { idleMinutes: 5 }, primary: { extJwt: { requireAcr: ['b', 'a'], maxAuthAgeSeconds: 9 } } })
  const { session: _, primary, ...rest } = await read()
  const { requireAcr: __, maxAuthAgeSeconds: ___, requireAmr: ____, ...extJwt } = primary.extJwt
  const put = await app.admin('PUT', path, { ...rest, primary: { ...primary, extJwt } })
  assert.equal(put.status, 200, put.text)
  assert.deepEqual((await read()).session, { ...unset, idleMinutes: 5 })
  assert.deepEqual((await read()).primary.extJwt.requireAcr, ['b', 'a'])
  await patch({ session: { maxMinutes: 7 } })
  assert.deepEqual((await read()).session, { ...unset, idleMinutes: 5, maxMinutes: 7 })
  await patch({ session: { idleMinutes: null }, primary: { extJwt: { requireAcr: [], maxAuthAgeSeconds: null } } })
  assert.deepEqual((await read()).session, { ...unset, maxMinutes: 7 })
  assert.deepEqual((await read()).primary.extJwt.maxAuthAgeSeconds, null)
  await patch({ session: null })
  assert.deepEqual((await read()).session, unset)
})

test('members out of range are refused with their field', async (t) => {
  const { app, policyId } = await setUp(t)
  const refused: readonly (readonly [Members, string])[] = [
    [{ session: { idleMinutes: 0 } }, 'session.idleMinutes'],
    [{ session: { maxMinutes: -1 } }, 'session.maxMinutes'],
    [{ primary: { extJwt: { maxAuthAgeSeconds: 0 } } }, 'primary.extJwt.maxAuthAgeSeconds'],
    [{ primary: { extJwt: { requireAcr: ['a b'] } } }, 'primary.extJwt.requireAcr'],
    [{ primary: { extJwt: { requireAcr: ['a"'] } } }, 'primary.extJwt.requireAcr'],
  ]
  for (const [body, field] of refused) {
    const reply = await app.admin('PATCH', `${POLICIES}/${policyId}`, body)
    assert.deepEqual([reply.status, reply.json.error.cause.field], [400, field], JSON.stringify(body))
  }
  const wrongType = await app.admin('PATCH', `${POLICIES}/${policyId}`, { session: { endWithToken: 'yes' } })
  assert.equal(wrongType.status, 400)
})

test('I-03 idleMinutes ends a session that is not used, also one that was open before', async (t) => {
  const { app, logIn, statusOf, patch, isStored } = await setUp(t)
  const [used, unused] = [await logIn(), await logIn()]
  await patch({ session: { idleMinutes: 5 } })
  for (const _ of [1, 2, 3]) {
    app.clock.advance(4 * MINUTE)
    assert.equal(await statusOf(used), 200)
    await isStored(used)
  }
  assert.equal(await statusOf(unused), 401)
  app.clock.advance(5 * MINUTE)
  assert.equal(await statusOf(used), 401)
  await patch({ session: { idleMinutes: 10_000 } })
  const bounded = await logIn()
  app.clock.advance(app.settings.session.idleSeconds * 1000)
  assert.equal(await statusOf(bounded), 401, 'the setting is an upper bound')
})

test('I-03 maxMinutes ends a session that is used, also one that was open before', async (t) => {
  const { app, logIn, use, statusOf, patch, isStored } = await setUp(t)
  const session = await logIn()
  const opened = app.clock.now()
  app.clock.advance(5 * MINUTE)
  await patch({ session: { maxMinutes: 7 } })
  const { expiresAt } = (await use(session, OWN_SESSION)).json.data
  assert.ok(Math.abs(Date.parse(expiresAt) - opened - 7 * MINUTE) < 5000)
  app.clock.advance(MINUTE)
  assert.equal(await statusOf(session), 200)
  app.clock.advance(MINUTE)
  assert.equal(await statusOf(session), 401)
  const reply = await logIn()
  app.clock.advance(6 * MINUTE)
  assert.equal(await statusOf(reply), 200)
  await patch({ session: { maxMinutes: null } })
  assert.equal(await statusOf(reply), 200)
  await isStored(reply)
  app.clock.advance(2 * MINUTE)
  assert.equal(await statusOf(reply), 200, 'a longer life applies to open sessions from their next use on')
})

test('I-08 endWithToken ends the session with its token; a session by password has none', async (t) => {
  const { app, token, logIn, statusOf, patch, isStored, id } = await setUp(t, { session: { endWithToken: true } })
  const exp = Math.floor(app.clock.now() / 1000) + 120
  const reply = await logInWithToken(app, token({ exp }))
  assert.equal(Date.parse(reply.json.data.expiresAt), exp * 1000)
  const session = reply.json.data.token as string
  const longer = await logIn({ exp: exp + 600 })
  app.clock.advance(MINUTE)
  assert.equal(await statusOf(session), 200)
  app.clock.advance(MINUTE + 1000)
  assert.equal(await statusOf(session), 401)
  assert.equal(await statusOf(longer), 200)
  const { username, password } = await createPassword(app, id)
  const byPassword = await app.logIn(username, password)
  await patch({ session: { endWithToken: false } })
  assert.deepEqual([await statusOf(longer), await statusOf(byPassword)], [200, 200])
  await isStored(longer)
  app.clock.advance(11 * MINUTE)
  assert.equal(await statusOf(longer), 200)
})

test('requireAcr, requireAmr and maxAuthAgeSeconds refuse a login with the challenge of RFC 9470', async (t) => {
  const { app, token, extJwt, explain } = await setUp(t)
  const now = Math.floor(app.clock.now() / 1000)
  const cases = [
    {
      policy: { requireAcr: ['gold', 'platinum'] },
      good: { acr: 'platinum' },
      bad: [{}, { acr: 'silver' }, { acr: ['gold'] }, { acr: 'Gold' }],
      challenge:
        /^Bearer error="insufficient_user_authentication", error_description="[^"]+", acr_values="gold platinum"$/,
      reason: 'acr-insufficient',
      text: /an acr of "gold", "platinum"/,
    },
    {
      policy: { requireAcr: [], requireAmr: ['otp', 'pwd'] },
      good: { amr: ['pwd', 'mfa', 'otp'] },
      bad: [{}, { amr: ['otp'] }, { amr: 'otp' }, { amr: 7 }],
      challenge: /^Bearer error="insufficient_user_authentication", error_description="[^"]+"$/,
      reason: 'amr-insufficient',
      text: /"otp", "pwd" \(amr\)/,
    },
    {
      policy: { requireAmr: [], maxAuthAgeSeconds: 300 },
      good: { auth_time: now - 290 },
      bad: [{}, { auth_time: now - 400 }, { auth_time: String(now) }, { auth_time: now + 600 }],
      challenge: /^Bearer error="insufficient_user_authentication", error_description="[^"]+", max_age="300"$/,
      reason: 'authentication-too-old',
      text: /in the last 300 seconds/,
    },
  ]
  for (const { policy, good, bad, challenge, reason, text } of cases) {
    await extJwt(policy)
    assert.equal((await logInWithToken(app, token(good))).status, 200, reason)
    for (const claims of bad) {
      const reply = await logInWithToken(app, token(claims))
      assert.deepEqual([reply.status, reply.json.error.code], [401, 'UNAUTHORIZED'], JSON.stringify(claims))
      assert.match(reply.headers['www-authenticate'] ?? '', challenge)
      const decision = await decisionOf(app, await refusalOf(Promise.resolve(reply)))
      assert.equal(decision.reason, reason)
      assert.match(decision.missing.join(), text)
      assert.match((await explain(token(claims))).missing.join(), text)
    }
  }
})

test('a requirement that a live session does not meet refuses its calls and is in its auth queries', async (t) => {
  const { app, logIn, use, statusOf, extJwt, id } = await setUp(t)
  const authTime = Math.floor(app.clock.now() / 1000)
  const strong = await logIn({ acr: 'gold', amr: ['otp'], auth_time: authTime })
  const weak = await logIn({ acr: 'silver' })
  await extJwt({ requireAcr: ['gold'], requireAmr: ['otp'], maxAuthAgeSeconds: 300 })
  assert.equal(await statusOf(strong), 200)
  const refused = await use(weak)
  assert.equal(refused.status, 401)
  assert.match(refused.headers['www-authenticate'] ?? '', /^Bearer error="insufficient_user_authentication", /)
  assert.match(refused.headers['www-authenticate'] ?? '', /acr_values="gold", max_age="300"$/)
  const [query] = (await use(weak, OWN_SESSION)).json.data.authQueries
  assert.deepEqual(
    [query.typeId, query.error, query.acrValues, query.amrValues, query.maxAge],
    ['EXT-JWT', 'insufficient_user_authentication', ['gold'], ['otp'], 300],
  )
  assert.deepEqual((await use(strong, OWN_SESSION)).json.data.authQueries, [])
  app.clock.advance(5 * MINUTE + 2000)
  assert.equal(await statusOf(strong), 401, 'the login at the provider is too old now')
  await extJwt({ requireAcr: [], requireAmr: [], maxAuthAgeSeconds: null })
  assert.deepEqual([await statusOf(strong), await statusOf(weak)], [200, 200])
  assert.equal((await app.admin('GET', `${IDENTITIES}/${id}`)).status, 200)
})

test('E-01 a session whose login at the provider is too old sets up no one-time codes, which the policy requires', async (t) => {
  const { app, logIn, patch } = await setUp(t)
  const session = await logIn({ auth_time: Math.floor(app.clock.now() / 1000) })
  await patch({ secondary: { requireTotp: true } })
  const device = await startTotp(app, session)
  const verify = () => app.call('POST', `${MFA}/verify`, { code: device.code() }, { session })
  const start = () => app.call('POST', MFA, undefined, { session })
  await patch({ primary: { extJwt: { maxAuthAgeSeconds: 300 } } })
  app.clock.advance(5 * MINUTE + 2000)
  for (const refused of [await start(), await verify()]) {
    assert.equal(statusAndCode(refused), '401 UNAUTHORIZED')
    assert.match(refused.headers['www-authenticate'] ?? '', /error="insufficient_user_authentication"/)
  }
  await patch({ primary: { extJwt: { maxAuthAgeSeconds: 400 } } })
  assert.equal(statusAndCode(await verify()), '200')
})

test('a long session of another policy is not affected', async (t) => {
  const { app, patch } = await setUp(t, { session: { maxMinutes: 1 } })
  await patch({ session: { idleMinutes: 1 } })
  await pass(app, 30 * MINUTE)
  assert.equal((await app.admin('GET', OWN_SESSION)).status, 200)
})
