import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildApp, type TestApp } from './build-app.ts'
import { API_SESSIONS } from './identities.fixture.ts'
import { enrollTotp, makeUser, SELF, STEP_MS, submitCode } from './one-time-codes.fixture.ts'
import { logInByPasskey, makePerson, mustRegister } from './passkeys.fixture.ts'
import { ALICE, logInWithToken, setUpProvider } from './provider.fixture.ts'
import { makeSecondSigner } from './second-token.fixture.ts'

const POLICIES = '/edge/management/v1/auth-policies'
const IDENTITIES = '/edge/management/v1/identities'

interface Listed {
  readonly id: string
  readonly state: string
  readonly missing: readonly string[]
  readonly client: string | null
  readonly method: string
  readonly expiresAt: string
}

async function list(app: TestApp, filter: string, sort = 'createdAt'): Promise<Listed[]> {
  const reply = await app.admin('GET', `${API_SESSIONS}?${new URLSearchParams({ filter, sort })}`)
  assert.equal(reply.status, 200, reply.text)
  return reply.json.data
}

/** The states of the listed sessions. Each filter by state finds those that are shown in it. */
async function statesOf(app: TestApp, filter: string): Promise<string[]> {
  const listed = await list(app, filter)
  for (const state of ['complete', 'partial', 'refused']) {
    const expected = listed.filter((session) => session.state === state).map(({ id }) => id)
    const found = await list(app, `${filter} and state = "${state}"`)
    assert.deepEqual(
      found.map(({ id }) => id),
      expected,
      state,
    )
  }
  const partial = listed.filter(({ state }) => state === 'partial')
  assert.equal((await list(app, `${filter} and isPartial = true`)).length, partial.length)
  return listed.map(({ state, missing }) => [state, ...missing].join(' '))
}

/** Moves an identity to a new policy, which differs from the default one in these members. */
async function moveToPolicy(app: TestApp, identityId: string, members: object): Promise<string> {
  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const made = await app.admin('POST', POLICIES, { ...policy, name: `for ${identityId}`, ...members })
  assert.equal(made.status, 201, made.text)
  const { id: authPolicyId } = made.json.data
  assert.equal((await app.admin('PATCH', `${IDENTITIES}/${identityId}`, { authPolicyId })).status, 200)
  return authPolicyId
}

test('D22 the list says which sessions lack a one-time code', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app)
  const mine = `identity = "${user.id}"`
  assert.deepEqual(await statesOf(app, mine), ['complete'])
  const policyId = await moveToPolicy(app, user.id, { secondary: { requireTotp: true, requireExtJwtSigner: null } })
  assert.deepEqual(await statesOf(app, mine), ['partial totp-enrollment'])
  assert.equal((await list(app, `${mine} and isPartial = true`)).length, 1)
  const device = await enrollTotp(app, user.session)
  assert.deepEqual(await statesOf(app, mine), ['complete'])
  assert.equal((await list(app, `${mine} and isPartial = false`)).length, 1)
  app.clock.advance(STEP_MS)
  const session = await user.logIn()
  assert.deepEqual(await statesOf(app, mine), ['complete', 'partial totp'])
  const [partial] = await list(app, `${mine} and isPartial = true`)
  assert.deepEqual([partial?.state, partial?.missing], ['partial', ['totp']])
  assert.equal((await submitCode(app, session, device.code())).status, 200)
  assert.deepEqual(await statesOf(app, mine), ['complete', 'complete'])
  assert.deepEqual(await list(app, `${mine} and isPartial = true`), [])
  const updb = { ...(await app.admin('GET', `${POLICIES}/${policyId}`)).json.data.primary.updb, allowed: false }
  assert.equal((await app.admin('PATCH', `${POLICIES}/${policyId}`, { primary: { updb } })).status, 200)
  assert.deepEqual(await statesOf(app, mine), ['refused', 'refused'])
  assert.equal((await app.call('GET', SELF, undefined, { session })).status, 401)
})

test('D22 X-03 the list says which sessions lack a passkey', async (t) => {
  const app = await buildApp(t)
  const person = await makePerson(app, { requirePasskey: true })
  const mine = `identity = "${person.id}"`
  assert.deepEqual(await statesOf(app, mine), ['partial passkey'])
  await mustRegister(app, person)
  await person.logIn()
  assert.equal((await logInByPasskey(app, person.device)).status, 200)
  assert.deepEqual((await statesOf(app, mine)).toSorted(), ['complete', 'complete', 'partial passkey'])
  assert.deepEqual(await statesOf(app, `${mine} and isPartial = true`), ['partial passkey'])
  assert.equal((await list(app, `${mine} and isPartial = false`)).length, 2)
})

test('D22 the list says which sessions have never had their second token', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app, { externalId: 'alice' })
  const signer = await makeSecondSigner(app)
  await moveToPolicy(app, user.id, { secondary: { requireTotp: false, requireExtJwtSigner: signer.id } })
  const mine = `identity = "${user.id}"`
  assert.deepEqual(await statesOf(app, `${mine} and isPartial = true`), ['partial ext-jwt'])
  const headers = { authorization: `Bearer ${signer.token('alice')}` }
  app.clock.advance(20)
  assert.equal((await app.call('GET', SELF, undefined, { session: user.session, headers })).status, 200)
  while ((await list(app, mine))[0]?.state !== 'complete') await sleep(5)
  assert.deepEqual(await statesOf(app, mine), ['complete'])
  assert.deepEqual(await list(app, `${mine} and isPartial = true`), [])
})

test('the list names the client, the method, the signer and the expiry of sessions, and is filtered by them', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  const signerId = await createSigner()
  const identityId = await createIdentity()
  const headers = { authorization: `Bearer ${token()}` }
  const logIn = (body: object, more: object = {}) =>
    app.call('POST', '/edge/client/v1/authenticate?method=ext-jwt', body, { headers: { ...headers, ...more } })
  const sdkInfo = { appId: 'ziti-edge-tunnel', appVersion: 'v1.5.2', type: 'ziti-sdk-c', version: '1.4' }
  assert.equal((await logIn({ sdkInfo })).status, 200)
  app.clock.advance(10)
  assert.equal((await logIn({ sdkInfo: { type: 'ziti-sdk-go' } }, { 'user-agent': 'Go-http-client/1.1' })).status, 200)
  app.clock.advance(10)
  assert.equal((await logIn({}, { 'user-agent': `Mozilla/5.0 ${'x'.repeat(4000)}` })).status, 200)
  const mine = `identityName = "alice"`
  const [tunnel, sdk, browser] = await list(app, mine)
  assert.deepEqual([tunnel?.client, sdk?.client], ['ziti-edge-tunnel v1.5.2', 'ziti-sdk-go'])
  assert.equal(browser?.client?.length, 128)
  assert.equal(tunnel?.method, 'ext-jwt')
  const found = async (filter: string) => (await list(app, `${mine} and ${filter}`)).map(({ id }) => id)
  assert.deepEqual(await found('client icontains "TUNNEL"'), [tunnel?.id])
  assert.equal((await found('method = "ext-jwt"')).length, 3)
  assert.equal((await found(`signerId = "${signerId}"`)).length, 3)
  assert.deepEqual(await found('method = "password"'), [])
  assert.deepEqual(await found('signerId = null'), [])
  const at = (ms: number) => `datetime(${new Date(Date.parse(tunnel?.expiresAt ?? '') + ms).toISOString()})`
  assert.deepEqual(await found(`expiresAt < ${at(1)}`), [tunnel?.id])
  assert.equal((await found(`expiresAt > ${at(-1)}`)).length, 3)
  const sorted = await list(app, `identityName in ["admin", "alice"]`, 'identityName desc, client')
  assert.deepEqual(
    sorted.slice(0, 3).map(({ client }) => client?.slice(0, 12)),
    ['Mozilla/5.0 ', 'ziti-edge-tu', 'ziti-sdk-go'],
  )
  assert.equal(sorted.at(-1)?.method, 'password')
  assert.deepEqual(await list(app, 'identityName = "no such identity"'), [])
  assert.deepEqual(await statesOf(app, mine), ['complete', 'complete', 'complete'])
  await moveToPolicy(app, identityId, {
    primary: {
      ...(await app.admin('GET', `${POLICIES}/default`)).json.data.primary,
      extJwt: { allowed: true, allowedSigners: [], requireAcr: ['gold'] },
    },
  })
  assert.deepEqual((await statesOf(app, mine))[0], 'partial acr-insufficient')
  assert.equal((await logInWithToken(app, token({ sub: ALICE, acr: 'gold' }))).status, 200)
  assert.deepEqual((await statesOf(app, mine)).at(-1), 'complete')
})

test('D22 the list and its filter say which sessions need a stronger or newer login, and which the policy refuses', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  const signerId = await createSigner()
  const identityId = await createIdentity()
  const authTime = Math.floor(app.clock.now() / 1000)
  const claims = [{}, { acr: 'gold' }, { amr: ['pwd'] }, { amr: ['otp', 'pwd'] }, { auth_time: authTime }]
  for (const more of claims) {
    assert.equal((await logInWithToken(app, token({ sub: ALICE, ...more }))).status, 200)
    app.clock.advance(10)
  }
  const mine = `identityName = "alice"`
  const { primary } = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const policyId = await moveToPolicy(app, identityId, {})
  const statesUnder = async (extJwt: object) => {
    const body = { primary: { ...primary, extJwt: { ...primary.extJwt, ...extJwt } } }
    assert.equal((await app.admin('PATCH', `${POLICIES}/${policyId}`, body)).status, 200)
    return (await statesOf(app, mine)).map((state) => (state === 'complete' ? 'x' : state.split(' ').at(-1)))
  }
  const none = { requireAcr: [], requireAmr: [], maxAuthAgeSeconds: null }
  assert.deepEqual(await statesUnder(none), ['x', 'x', 'x', 'x', 'x'])
  const acr = 'acr-insufficient'
  assert.deepEqual(await statesUnder({ ...none, requireAcr: ['silver', 'gold'] }), [acr, 'x', acr, acr, acr])
  const amr = 'amr-insufficient'
  assert.deepEqual(await statesUnder({ ...none, requireAmr: ['pwd', 'otp'] }), [amr, amr, amr, 'x', amr])
  const old = 'authentication-too-old'
  assert.deepEqual(await statesUnder({ ...none, maxAuthAgeSeconds: 60 }), [old, old, old, old, 'x'])
  app.clock.advance(61_000)
  assert.deepEqual(await statesUnder({ ...none, maxAuthAgeSeconds: 60 }), [old, old, old, old, old])
  const other = (await makeSecondSigner(app)).id
  assert.deepEqual(await statesUnder({ ...none, allowedSigners: [other] }), Array(5).fill('refused'))
  assert.deepEqual(await statesUnder({ ...none, allowedSigners: [other, signerId] }), ['x', 'x', 'x', 'x', 'x'])
  const sorted = await list(app, `identityName in ["admin", "alice"]`, 'state desc, createdAt')
  assert.equal(sorted.length, 6)
})

test('D22 the list says which sessions lack the passkey that their policy requires', async (t) => {
  const app = await buildApp(t)
  const user = await makeUser(app)
  const mine = `identity = "${user.id}"`
  assert.deepEqual(await statesOf(app, mine), ['complete'])
  const secondary = { requireTotp: false, requireExtJwtSigner: null, requirePasskey: true }
  await moveToPolicy(app, user.id, { secondary })
  assert.deepEqual(await statesOf(app, `${mine} and isPartial = true`), ['partial passkey'])
  assert.equal((await app.call('GET', SELF, undefined, { session: user.session })).status, 401)
})
