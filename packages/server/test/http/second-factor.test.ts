import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { makeTestCertificate, mintKeyFrom, mintToken } from '@countersign/testkit'
import { buildApp } from './build-app.ts'

const ISSUER = 'https://second.example'
const SIGNERS = '/edge/management/v1/ext-jwt-signers'
const POLICIES = '/edge/management/v1/auth-policies'

/** A controller with a policy that requires a token of one signer on every call, and an identity under that policy. */
async function setUp(t: TestContext) {
  const app = await buildApp(t)
  const makeSigner = async (name: string) => {
    const certificate = makeTestCertificate({ kind: 'ec256', commonName: name })
    const body = { name, enabled: true, issuer: ISSUER, audience: name, kid: name, certPem: certificate.pem }
    const extra = {
      useExternalId: true,
      clientId: 'desktop',
      scopes: ['openid'],
      externalAuthUrl: 'https://second.example/go',
    }
    const reply = await app.admin('POST', SIGNERS, { ...body, ...extra })
    assert.equal(reply.status, 201, reply.text)
    return { id: reply.json.data.id as string, key: mintKeyFrom(certificate.privateKey, 'P-256', name) }
  }
  const signer = await makeSigner('second')
  const other = await makeSigner('other')
  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const strict = { ...policy, name: 'strict', secondary: { requireTotp: false, requireExtJwtSigner: signer.id } }
  const policyId = (await app.admin('POST', POLICIES, strict)).json.data.id as string
  const alice = await app.makeIdentity({ externalId: 'alice', permissions: ['identity.read'] })
  const bob = await app.makeIdentity({ externalId: 'bob' })
  for (const { id } of [alice, bob])
    await app.admin('PATCH', `/edge/management/v1/identities/${id}`, { authPolicyId: policyId })
  const exp = Math.floor(app.clock.now() / 1000) + 600
  const token = (changes: Record<string, unknown> = {}, by = signer) =>
    mintToken({ key: by.key, claims: { iss: ISSUER, aud: 'second', sub: 'alice', exp, ...changes } })
  const call = (bearer?: string, path = '/edge/management/v1/identities') => {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    return app.call('GET', path, undefined, { session: alice.session, headers })
  }
  return { app, signer, other, policyId, alice, token, call }
}

test('W-56 D22 S1-1.2 S1-5.2.2 a policy that names a second signer requires its token on every call', async (t) => {
  const { call, token } = await setUp(t)
  assert.equal((await call()).status, 401)
  assert.equal((await call(token())).status, 200)
  assert.equal((await call()).status, 401, 'the token is not stored with the session')
})

test('W-60 W-61 E-03 the 401 says which token is missing, expired or wrong', async (t) => {
  const { signer, other, call, token } = await setUp(t)
  const challengeOf = async (bearer?: string) => {
    const reply = await call(bearer)
    assert.equal(reply.status, 401, reply.text)
    const [, error, id, issuer] =
      /^Bearer realm="openziti-secondary-ext-jwt" error="(\w+)" error_description="[^"]+" id="([^"]+)" issuer="([^"]+)"$/.exec(
        reply.headers['www-authenticate'] ?? '',
      ) ?? []
    assert.deepEqual([id, issuer], [signer.id, ISSUER])
    return error
  }
  assert.equal(await challengeOf(), 'missing')
  assert.equal(await challengeOf('garbage'), 'missing')
  assert.equal(await challengeOf(token({ exp: 1000 })), 'expired')
  assert.equal(await challengeOf(token({ aud: 'elsewhere' })), 'invalid')
  assert.equal(await challengeOf(token({ aud: 'other' }, other)), 'invalid', 'E-02 a token of another signer')
  const good = await call(token())
  assert.deepEqual([good.status, good.headers['www-authenticate']], [200, undefined])
})

test('E-01 the good token of another identity does not complete a session', async (t) => {
  const { call, token } = await setUp(t)
  assert.equal((await call(token({ sub: 'bob' }))).status, 401)
  assert.equal((await call(token({ sub: 'alice' }))).status, 200)
})

test('E-02 a disabled signer completes no session; enabled again it does', async (t) => {
  const { app, signer, call, token } = await setUp(t)
  assert.equal((await call(token())).status, 200)
  await app.admin('PATCH', `${SIGNERS}/${signer.id}`, { enabled: false })
  const refused = await call(token())
  assert.equal(refused.status, 401)
  assert.match(
    refused.headers['www-authenticate'] ?? '',
    new RegExp(`secondary-ext-jwt" error="missing".* id="${signer.id}"`),
  )
  const { authQueries } = (await call(token(), '/edge/client/v1/current-api-session')).json.data
  assert.deepEqual(
    authQueries.map(({ typeId, id }: { typeId: string; id: string }) => [typeId, id]),
    [['EXT-JWT', signer.id]],
    'a client sees that its session is partial',
  )
  await app.admin('PATCH', `${SIGNERS}/${signer.id}`, { enabled: true })
  assert.equal((await call(token())).status, 200)
})

test('E-08 D23 turning the second factor on or off in a policy affects the next call of an open session', async (t) => {
  const { app, policyId, call } = await setUp(t)
  await app.admin('PATCH', `${POLICIES}/${policyId}`, { secondary: { requireExtJwtSigner: '' } })
  assert.equal((await call()).status, 200)
  await app.admin('PATCH', `${POLICIES}/${policyId}`, { secondary: { requireTotp: true } })
  assert.equal((await call()).status, 401, 'a factor that is not set up yet refuses')
  await app.admin('PATCH', `${POLICIES}/${policyId}`, { secondary: { requireTotp: false } })
  assert.equal((await call()).status, 200)
})

test('E-04 a partial session with permissions reaches its own session and nothing else', async (t) => {
  const { app, alice, call } = await setUp(t)
  for (const path of ['/edge/client/v1/current-identity', '/edge/management/v1/identities', SIGNERS]) {
    assert.equal((await call(undefined, path)).status, 401, path)
  }
  const own = await call(undefined, '/edge/client/v1/current-api-session')
  assert.equal(own.status, 200)
  const gone = await app.call('DELETE', '/edge/client/v1/current-api-session', undefined, { session: alice.session })
  assert.equal(gone.status, 200)
})

test('W-17 a login with an outstanding second factor returns 200 and the auth queries', async (t) => {
  const { signer, call, token } = await setUp(t)
  const queries = (await call(undefined, '/edge/client/v1/current-api-session')).json.data.authQueries
  assert.deepEqual(queries, [
    {
      typeId: 'EXT-JWT',
      provider: 'url',
      httpUrl: 'https://second.example/go',
      id: signer.id,
      clientId: 'desktop',
      scopes: ['openid'],
    },
  ])
  const whole = await call(token(), '/edge/client/v1/current-api-session')
  assert.deepEqual(whole.json.data.authQueries, [])
})

test('E-05 the second factor works where the policy does not allow login by JWT', async (t) => {
  const { app, policyId, call, token } = await setUp(t)
  await app.admin('PATCH', `${POLICIES}/${policyId}`, { primary: { extJwt: { allowed: false } } })
  assert.equal((await call()).status, 401)
  assert.equal((await call(token())).status, 200)
})

test('E-06 a token that expires between two calls is good for the first only', async (t) => {
  const { app, call, token } = await setUp(t)
  const short = token({ exp: Math.floor(app.clock.now() / 1000) + 30 })
  assert.equal((await call(short)).status, 200)
  app.clock.advance(60_000)
  const late = await call(short)
  assert.equal(late.status, 401)
  assert.match(late.headers['www-authenticate'] ?? '', /error="expired"/)
})

test('E-09 the second signer of a policy cannot be deleted', async (t) => {
  const { app, signer, policyId } = await setUp(t)
  assert.equal((await app.admin('DELETE', `${SIGNERS}/${signer.id}`)).status, 409)
  await app.admin('PATCH', `${POLICIES}/${policyId}`, { secondary: { requireExtJwtSigner: '' } })
  assert.equal((await app.admin('DELETE', `${SIGNERS}/${signer.id}`)).status, 200)
})

test('D48 N-03 E-02 a second token of a signer written by a non-administrator does not count for privileged identities', async (t) => {
  const { app, signer, policyId, call, token } = await setUp(t)
  const carol = await app.makeIdentity({ externalId: 'carol' })
  await app.admin('PATCH', `/edge/management/v1/identities/${carol.id}`, { authPolicyId: policyId })
  const asCarol = async () => {
    const headers = { authorization: `Bearer ${token({ sub: 'carol' })}` }
    const path = '/edge/client/v1/current-identity'
    return (await app.call('GET', path, undefined, { session: carol.session, headers })).status
  }
  assert.deepEqual([(await call(token())).status, await asCarol()], [200, 200])
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const touched = await app.call('PATCH', `${SIGNERS}/${signer.id}`, { clientId: 'touched' }, { session })
  assert.equal(touched.status, 200, touched.text)
  assert.deepEqual([(await call(token())).status, await asCarol()], [401, 200])
  await app.admin('PATCH', `${SIGNERS}/${signer.id}`, { clientId: 'by the administrator' })
  assert.deepEqual([(await call(token())).status, await asCarol()], [200, 200])
})
