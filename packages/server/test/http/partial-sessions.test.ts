import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp, type TestApp } from './build-app.ts'
import { makeHolder, overTls } from './client-certificates.fixture.ts'
import {
  enrollTotp,
  makeUser,
  OWN_SESSION,
  SELF,
  STEP_MS,
  statusAndCode,
  submitCode,
} from './one-time-codes.fixture.ts'
import { examplePath, makeSecondSigner, makeStrictPolicy } from './second-token.fixture.ts'

const POLICIES = '/edge/management/v1/auth-policies'

test('D22 E-03 a policy can require a code and a token: both are listed, the code first, and both are needed', async (t) => {
  const app = await buildApp(t)
  const signer = await makeSecondSigner(app)
  const secondary = { requireTotp: true, requireExtJwtSigner: signer.id }
  const user = await makeUserUnderPolicy(app, secondary, { externalId: 'alice' })
  const bearer = { authorization: `Bearer ${signer.token('alice')}` }
  const self = (headers = {}) => app.call('GET', SELF, undefined, { session: user.session, headers })
  const neither = await self()
  assert.equal(statusAndCode(neither), '401 UNAUTHORIZED')
  assert.equal(neither.headers['www-authenticate'], signer.challenge('missing'))
  const queries = async (headers = {}) =>
    (await app.call('GET', OWN_SESSION, undefined, { session: user.session, headers })).json.data.authQueries.map(
      ({ typeId }: { typeId: string }) => typeId,
    )
  assert.deepEqual(await queries(), ['MFA', 'EXT-JWT'])
  assert.deepEqual(await queries(bearer), ['MFA'])
  assert.equal(statusAndCode(await self(bearer)), '401 UNAUTHORIZED')
  await enrollTotp(app, user.session)
  assert.deepEqual(await queries(), ['EXT-JWT'])
  assert.equal(statusAndCode(await self()), '401 UNAUTHORIZED')
  assert.equal(statusAndCode(await self(bearer)), '200')
})

/** The calls that a session without its second factor can make, besides the anonymous ones. */
const FOR_PARTIAL_SESSIONS = [
  'GET /current-api-session',
  'DELETE /current-api-session',
  'POST /authenticate/mfa',
  'GET /current-identity/mfa',
  'POST /current-identity/mfa',
  'POST /current-identity/mfa/verify',
  'GET /current-identity/mfa/qr-code',
  'POST /current-api-session/passkey-options',
  'POST /authenticate/passkey',
  // It is refused after its body is read.
  'POST /current-identity/passkeys',
]

test('E-04 D22 an administrator’s session without a one-time code can make a fixed list of calls only', async (t) => {
  const app = await buildApp(t)
  const user = await makeUserUnderPolicy(app, { requireTotp: true }, { isAdmin: true })
  for (const { method, paths, access } of app.controller.http.routes) {
    for (const path of paths) {
      if (access === 'anonymous') continue
      const session = await user.logIn()
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      const reply = await app.call(method, examplePath(path), body, { session })
      const isAllowed = FOR_PARTIAL_SESSIONS.includes(`${method} ${path.replace(/^\/edge\/\w+\/v1/, '')}`)
      assert.equal(reply.status === 401, !isAllowed, `${method} ${path}: ${reply.text.slice(0, 200)}`)
    }
  }
})

/** Creates a user under a policy with these second factors. */
async function makeUserUnderPolicy(
  app: TestApp,
  secondary: Record<string, unknown>,
  members: Record<string, unknown> = {},
) {
  const standard = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const policy = await app.admin('POST', POLICIES, { ...standard, name: 'strict', secondary })
  assert.equal(policy.status, 201, policy.text)
  return makeUser(app, { authPolicyId: policy.json.data.id, ...members })
}

test('W-75 D22 a certificate login needs a one-time code, and a token if the policy requires it', async (t) => {
  const app = await buildApp(t)
  const call = await overTls(app)
  const signer = await makeSecondSigner(app)
  const { cert, key, id } = await makeHolder(app, { identity: { externalId: 'alice' } })
  const logIn = async (api: string, headers = {}) => {
    const reply = await call('POST', `/edge/${api}/v1/authenticate?method=cert`, { cert, key, headers })
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data
  }
  const device = await enrollTotp(app, (await logIn('client')).token)
  for (const api of ['client', 'management']) {
    app.clock.advance(STEP_MS)
    const { token: session, authQueries } = await logIn(api)
    assert.deepEqual(typesOf(authQueries), ['MFA'])
    const self = () => call('GET', SELF, { cert, key, session })
    assert.equal((await self()).status, 401)
    const code = device.code()
    const passed = await call('POST', `/edge/${api}/v1/authenticate/mfa`, { cert, key, session, body: { code } })
    assert.equal(passed.status, 200, passed.text)
    assert.equal((await self()).status, 200)
  }
  const authPolicyId = await makeStrictPolicy(app, signer.id)
  await app.admin('PATCH', `/edge/management/v1/identities/${id}`, { authPolicyId })
  const headers = { authorization: `Bearer ${signer.token('alice')}` }
  assert.deepEqual(typesOf((await logIn('client')).authQueries), ['MFA', 'EXT-JWT'])
  const { token: session, authQueries } = await logIn('client', headers)
  assert.deepEqual(typesOf(authQueries), ['MFA'])
  app.clock.advance(STEP_MS)
  assert.equal((await submitCode(app, session, device.code())).status, 200)
  assert.equal((await call('GET', SELF, { cert, key, session })).status, 401)
  assert.equal((await call('GET', SELF, { cert, key, session, headers })).status, 200)
})

const typesOf = (queries: readonly { typeId: string }[]) => queries.map(({ typeId }) => typeId)
