import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALGORITHM_NAMES, totpCode, totpStep } from '@countersign/core'
import { makeTestCertificate, makeTestCsr, mintKeyFrom, mintToken, readProvisioningSecret } from '@countersign/testkit'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import { buildApp, type TestApp } from '../http/build-app.ts'
import { createIdentity, createPassword } from '../http/identities.fixture.ts'
import { claimsOf, OidcClient } from './oidc.fixture.ts'
import { RECORDED_HOST, Recording } from './recorded.fixture.ts'

const ADDRESSES = [RECORDED_HOST]
const PASSWORD = 'Passw0rd!'
const MANAGEMENT = '/edge/management/v1'

/** A client that reaches the controller under the recorded address. */
class RecordedClient extends OidcClient {
  override call(method: string, path: string, options: Parameters<OidcClient['call']>[2] = {}) {
    return super.call(method, path, { ...options, headers: { host: RECORDED_HOST, ...options.headers } })
  }
}

async function makeAlice(app: TestApp) {
  const id = await createIdentity(app, { name: 'alice' })
  await createPassword(app, id, { username: 'alice', password: PASSWORD })
  return id
}

test('the recorded login by password is replayed', async (t) => {
  const app = await buildApp(t, { addresses: ADDRESSES })
  await makeAlice(app)
  const recording = new Recording(app, 'login')
  const client = new RecordedClient(app)
  const { id } = await client.begin()
  const texts = { '4eb5af20-dda6-4ff3-bb93-3b7de3da076e': id }
  const first = await recording.replay('authorize sends the client to a login page', { otherHeaders: ['location'] })
  assert.match(first.headers.location ?? '', /^\/oidc\/login\/username\?authRequestID=[0-9a-f-]{36}$/)
  await recording.replay('authorize: unknown client')
  await recording.replay('wrong password', { texts })
  await recording.replay('password accepted, no second factor', { texts })
  const end = await recording.replay('callback gives the code', { texts, otherHeaders: ['location'] })
  assert.match(end.headers.location ?? '', /^http:\/\/localhost:8080\/auth\/callback\?code=[\w-]+&state=S1$/)
  recording.assertComplete()
})

test('the recorded grants are replayed', async (t) => {
  const app = await buildApp(t, { addresses: ADDRESSES })
  await makeAlice(app)
  const client = new RecordedClient(app)
  const recording = new Recording(app, 'token')
  const login = await client.begin()
  await client.logInByPassword(login, 'alice', PASSWORD)
  const code = await client.code(login)
  await recording.replay('code with a wrong verifier', { body: { code } })
  const { json } = await recording.replay('code exchange', { body: { code, code_verifier: login.verifier } })
  const { json: refreshed } = await recording.replay('refresh', { body: { refresh_token: json.refresh_token } })
  const subject = { subject_token: refreshed.refresh_token }
  await recording.replay('exchange for an id token', { body: subject })
  // The recorded controller does not compare the client with that of the token.
  const native = await new RecordedClient(app, 'native').logIn('alice', PASSWORD)
  await recording.replay('exchange as the Go SDK sends it', { body: { subject_token: native.refresh_token } })
  recording.assertComplete()
})

test('the recorded login with two second factors is replayed', async (t) => {
  const app = await buildApp(t, { addresses: ADDRESSES })
  const makeSigner = async (name: string, members: Record<string, unknown>) => {
    const certificate = makeTestCertificate({ kind: 'ec256', commonName: name })
    const key = mintKeyFrom(certificate.privateKey, 'P-256', name)
    const issuer = `https://${name}.example`
    const body = { name, enabled: true, issuer, audience: name, kid: name, certPem: certificate.pem, ...members }
    const reply = await app.admin('POST', `${MANAGEMENT}/ext-jwt-signers`, { ...body, useExternalId: true })
    assert.equal(reply.status, 201, reply.text)
    const exp = Math.floor(app.clock.now() / 1000) + 600
    const token = mintToken({ key, claims: { iss: issuer, aud: name, sub: 'bob', exp } })
    return { id: reply.json.data.id as string, bearer: `Bearer ${token}` }
  }
  const first = await makeSigner('idp', {})
  const oidcLogin = { externalAuthUrl: 'https://second.example/authorize', clientId: 'ziti', scopes: ['openid'] }
  const second = await makeSigner('second', oidcLogin)
  const secondary = { requireTotp: true, requireExtJwtSigner: second.id }
  await createIdentity(app, { name: 'bob', externalId: 'bob', authPolicyId: await createPolicy(app, { secondary }) })
  const client = new RecordedClient(app)
  const login = await client.begin({ method: 'ext-jwt' })
  const texts = { '94a31559-ea5e-4d76-9cd1-a08c025c28c0': login.id, '3vkligYe3bu9wRAjFTnJqK': second.id }
  const recording = new Recording(app, 'second-factor')
  // Issuers are not public: the challenge names no signers.
  const missing = await recording.replay('external JWT login without a JWT', {
    texts,
    otherHeaders: ['www-authenticate'],
  })
  assert.equal(
    missing.headers['www-authenticate'],
    'Bearer realm="openziti-primary-ext-jwt" error="missing" error_description="no matching token was provided"',
  )
  const headers = { authorization: first.bearer }
  await recording.replay('external JWT accepted, TOTP and a second JWT outstanding', { texts, headers })
  const begun = await recording.replay('start of TOTP enrollment', { texts })
  const secret = readProvisioningSecret(begun.json.provisioningUrl)
  const code = totpCode(secret, totpStep(app.clock.now()))
  await recording.replay('TOTP verified, the JWT still outstanding', { texts, body: { code } })
  const both = { authorization: [first.bearer, second.bearer] }
  await recording.replay('both JWTs: complete', { texts, headers: both })
  const { access_token: token } = await client.finish(login)
  await recording.replay('call without the second JWT', { headers: { authorization: `Bearer ${token}` } })
  recording.assertComplete()
})

test('the recorded calls with an access token, revocations and logout are replayed', async (t) => {
  const app = await buildApp(t, { addresses: ADDRESSES })
  const alice = await makeAlice(app)
  const client = new RecordedClient(app)
  const recording = new Recording(app, 'session')
  const recordedSession = '03458712-ec4e-433b-a5ea-7f3a6b01b94d'
  const logIn = async () => {
    const tokens = await client.logIn('alice', PASSWORD)
    const { z_asid: session, z_authid: authenticator } = claimsOf(tokens.access_token)
    const texts = { [recordedSession]: session, '0XxgS7nqSW': alice, '6peIAEjO6ar0ZU2XvUZl5l': authenticator }
    return { tokens, texts, headers: { authorization: `Bearer ${tokens.access_token}` } }
  }
  const { texts, headers } = await logIn()
  await recording.replay('current session of a bearer', { texts, headers })
  await recording.replay('logout of a bearer session', { texts, headers, status: 200 })
  const revoked = await logIn()
  const asAdmin = { 'zt-session': app.adminSession }
  await recording.replay('revoke a session', { texts: revoked.texts, headers: asAdmin })
  await recording.replay('list of revocations', { texts: revoked.texts, headers: asAdmin })
  const { tokens } = await logIn()
  await recording.replay('end_session', { texts: { 'eyJhbGciOiJSUzI1NiIsIm…': tokens.id_token } })
  recording.assertComplete()
})

test('the recorded exchange with a session certificate is replayed', async (t) => {
  const app = await buildApp(t, { addresses: ADDRESSES })
  await makeAlice(app)
  const client = new RecordedClient(app)
  const login = await client.begin()
  const credential = { id: login.id, username: 'alice', password: PASSWORD, csrPem: makeTestCsr().pem }
  assert.equal((await client.call('POST', '/oidc/login/password', { json: credential })).status, 302)
  const recording = new Recording(app, 'certificate')
  const { json } = await recording.replay('code exchange after a login with csrPem', {
    body: { code: await client.code(login), code_verifier: login.verifier },
  })
  await recording.replay('refresh of a bound session without its certificate', {
    body: { refresh_token: json.refresh_token },
  })
  recording.assertComplete()
})

test('the discovery document lists nothing that was not recorded, except what is said here', async (t) => {
  const app = await buildApp(t, { addresses: ADDRESSES })
  const recording = new Recording(app, 'discovery')
  const recorded = recording.read('discovery document').body as Record<string, unknown>
  const client = new RecordedClient(app)
  const shown = (await client.call('GET', '/oidc/.well-known/openid-configuration')).json
  const OWN: Readonly<Record<string, readonly string[]>> = {
    response_modes_supported: ['query'],
    id_token_signing_alg_values_supported: ['ES256'],
    claims_supported: ['sid'],
    dpop_signing_alg_values_supported: ALGORITHM_NAMES,
  }
  for (const [name, value] of Object.entries(shown)) {
    const expected = recorded[name]
    if (Array.isArray(value)) {
      const known = [...((expected as string[] | undefined) ?? []), ...(OWN[name] ?? [])]
      for (const item of value) assert.ok(known.includes(item), `${name}: ${item}`)
    } else if (name !== 'request_parameter_supported') assert.deepEqual(value, expected, name)
  }
  const [recordedKey] = (recording.read('signing keys').body as { keys: Record<string, string>[] }).keys
  const [key] = (await client.call('GET', '/oidc/keys')).json.keys
  for (const name of ['use', 'kty', 'kid', 'alg']) assert.equal(typeof key[name], typeof recordedKey?.[name], name)
  recording.assertComplete()
})
