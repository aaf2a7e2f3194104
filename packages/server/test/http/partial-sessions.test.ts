import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp, type TestApp } from './build-app.ts'
import { makeHolder, overTls } from './client-certificates.fixture.ts'
import { enrollTotp, makePerson, OWN_SESSION, passCode, SELF, STEP_MS, told } from './one-time-codes.fixture.ts'
import { examplePath, makeSecondSigner, makeStrictPolicy } from './second-token.fixture.ts'

const POLICIES = '/edge/management/v1/auth-policies'

test('D22 E-03 a policy may ask for a code and a token: both are named, the code first, and both are needed', async (t) => {
  const app = await buildApp(t)
  const signer = await makeSecondSigner(app)
  const secondary = { requireTotp: true, requireExtJwtSigner: signer.id }
  const person = await makeBoundPerson(app, secondary, { externalId: 'alice' })
  const bearer = { authorization: `Bearer ${signer.token('alice')}` }
  const self = (headers = {}) => app.call('GET', SELF, undefined, { session: person.session, headers })
  const neither = await self()
  assert.equal(told(neither), '401 UNAUTHORIZED')
  assert.equal(neither.headers['www-authenticate'], signer.challenge('missing'))
  const queries = async (headers = {}) =>
    (await app.call('GET', OWN_SESSION, undefined, { session: person.session, headers })).json.data.authQueries.map(
      ({ typeId }: { typeId: string }) => typeId,
    )
  assert.deepEqual(await queries(), ['MFA', 'EXT-JWT'])
  assert.deepEqual(await queries(bearer), ['MFA'])
  assert.equal(told(await self(bearer)), '401 UNAUTHORIZED')
  await enrollTotp(app, person.session)
  assert.deepEqual(await queries(), ['EXT-JWT'])
  assert.equal(told(await self()), '401 UNAUTHORIZED')
  assert.equal(told(await self(bearer)), '200')
})

/** What a session may do whose second factor is missing: this and what is open to everybody. */
const FOR_PARTIAL_SESSIONS = [
  'GET /current-api-session',
  'DELETE /current-api-session',
  'POST /authenticate/mfa',
  'GET /current-identity/mfa',
  'POST /current-identity/mfa',
  'POST /current-identity/mfa/verify',
  'GET /current-identity/mfa/qr-code',
]

test('E-04 D22 an administrator whose session lacks a one-time code reaches a fixed list of calls and nothing else', async (t) => {
  const app = await buildApp(t)
  const person = await makeBoundPerson(app, { requireTotp: true }, { isAdmin: true })
  for (const { method, paths, access } of app.controller.http.routes) {
    for (const path of paths) {
      if (access === 'anonymous') continue
      const session = await person.logIn()
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      const reply = await app.call(method, examplePath(path), body, { session })
      const isAllowed = FOR_PARTIAL_SESSIONS.includes(`${method} ${path.replace(/^\/edge\/\w+\/v1/, '')}`)
      assert.equal(reply.status === 401, !isAllowed, `${method} ${path}: ${reply.text.slice(0, 200)}`)
    }
  }
})

/** Somebody under a policy with these second factors. */
async function makeBoundPerson(
  app: TestApp,
  secondary: Record<string, unknown>,
  members: Record<string, unknown> = {},
) {
  const standard = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const policy = await app.admin('POST', POLICIES, { ...standard, name: 'strict', secondary })
  assert.equal(policy.status, 201, policy.text)
  return makePerson(app, { authPolicyId: policy.json.data.id, ...members })
}

test('W-75 D22 a certificate, then a one-time code, beside a token where that is asked for too', async (t) => {
  const app = await buildApp(t)
  const call = await overTls(app)
  const signer = await makeSecondSigner(app)
  const { cert, key, id } = await makeHolder(app, { identity: { externalId: 'alice' } })
  const signIn = async (api: string, headers = {}) => {
    const reply = await call('POST', `/edge/${api}/v1/authenticate?method=cert`, { cert, key, headers })
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data
  }
  const device = await enrollTotp(app, (await signIn('client')).token)
  for (const api of ['client', 'management']) {
    app.clock.advance(STEP_MS)
    const { token: session, authQueries } = await signIn(api)
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
  assert.deepEqual(typesOf((await signIn('client')).authQueries), ['MFA', 'EXT-JWT'])
  const { token: session, authQueries } = await signIn('client', headers)
  assert.deepEqual(typesOf(authQueries), ['MFA'])
  app.clock.advance(STEP_MS)
  assert.equal((await passCode(app, session, device.code())).status, 200)
  assert.equal((await call('GET', SELF, { cert, key, session })).status, 401)
  assert.equal((await call('GET', SELF, { cert, key, session, headers })).status, 200)
})

const typesOf = (queries: readonly { typeId: string }[]) => queries.map(({ typeId }) => typeId)
