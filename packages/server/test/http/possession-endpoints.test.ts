import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { makeTestCertificate, makeTestCsr } from '@countersign/testkit'
import { setUpHosted } from '../hosted/hosted.fixture.ts'
import { claimsOf, OidcClient } from '../oidc/oidc.fixture.ts'
import { ADMIN_PASSWORD } from './build-app.ts'
import { issueTo, overTls } from './client-certificates.fixture.ts'
import { ENROLL_TOKEN, POLICIES, setUpEnrollment } from './enroll-token.fixture.ts'
import { BOUND, challengeOf, DpopClient, LOGIN, OTHER_KEY, OWN } from './possession.fixture.ts'
import { decisionOf, logInWithToken, setUpProvider } from './provider.fixture.ts'

/** `cnf` for a certificate, as RFC 8705 section 3.1 has it. */
const confirmationOf = (certPem: string) => {
  const hex = new X509Certificate(certPem).fingerprint256.replaceAll(':', '')
  return { cnf: { 'x5t#S256': Buffer.from(hex, 'hex').toString('base64url') } }
}

async function setUpCertificates(t: TestContext) {
  const set = await setUpEnrollment(t, { isAlone: 'controller' })
  const own = await issueTo(set.app, 'unrecorded')
  const other = await issueTo(set.app, 'unrecorded')
  return { ...set, own, other, bound: confirmationOf(own.certPem), tls: await overTls(set.app) }
}

test('C-18 the example of RFC 8705 names its certificate', () => {
  const pem = `-----BEGIN CERTIFICATE-----
MIIBBjCBrAIBAjAKBggqhkjOPQQDAjAPMQ0wCwYDVQQDDARtdGxzMB4XDTE4MTAx
ODEyMzcwOVoXDTIyMDUwMjEyMzcwOVowDzENMAsGA1UEAwwEbXRsczBZMBMGByqG
SM49AgEGCCqGSM49AwEHA0IABNcnyxwqV6hY8QnhxxzFQ03C7HKW9OylMbnQZjjJ
/Au08/coZwxS7LfA4vOLS9WuneIXhbGGWvsDSb0tH6IxLm8wCgYIKoZIzj0EAwID
SQAwRgIhAP0RC1E+vwJD/D1AGHGzuri+hlV/PpQEKTWUVeORWz83AiEA5x2eXZOV
bUlJSGQgjwD5vaUaKlLR50Q2DmFfQj1L+SY=
-----END CERTIFICATE-----`
  assert.equal(confirmationOf(pem).cnf['x5t#S256'], 'A4DtL2JmUMhAsvJj5tKyn64SqzmuXbMrJa0n761y5v0')
})

test('C-18 C-23 a certificate-bound token is accepted with its certificate only: login, second factor, enrollment', async (t) => {
  const { app, token, enrollingSigner, createIdentity, own, other, bound, tls } = await setUpCertificates(t)
  const signerId = await enrollingSigner()
  await createIdentity()
  const authorization = `Bearer ${token(bound)}`
  const logIn = (keys = {}) => tls('POST', LOGIN, { ...keys, headers: { authorization } })
  const accepted = await logIn(own)
  assert.equal(accepted.status, 200, accepted.text)
  assert.equal((await logIn({ ...own, version: 'TLSv1.2' as const })).status, 200)
  const bare = await logIn()
  assert.deepEqual([bare.status, challengeOf(bare)], [401, 'Bearer invalid_token'])
  const { signers, hints } = await decisionOf(app, bare.json.error.requestId)
  assert.equal(signers[0].reason, 'certificate-not-sent')
  assert.equal(signers[0].checks.find(({ pass }: { pass: boolean }) => !pass).check, 'certificate')
  assert.match(hints[0], /a proxy that ends TLS/)
  const wrong = await logIn(other)
  assert.equal(wrong.status, 401)
  assert.equal((await decisionOf(app, wrong.json.error.requestId)).signers[0].reason, 'certificate-not-bound')

  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  const strict = { ...policy, name: 'strict', secondary: { requireTotp: false, requireExtJwtSigner: signerId } }
  const authPolicyId = (await app.admin('POST', POLICIES, strict)).json.data.id
  await createIdentity({ name: 'bob', externalId: 'bob', authPolicyId })
  const session: string = (await logInWithToken(app, token({ sub: 'bob' }))).json.data.token
  const second = { session, headers: { authorization: `Bearer ${token({ sub: 'bob', ...bound })}` } }
  assert.equal((await tls('GET', OWN, { ...second, ...own })).status, 200)
  assert.equal((await tls('GET', OWN, { ...second, ...other })).status, 401)
  assert.equal((await tls('GET', OWN, second)).status, 401)

  const enroll = (sub: string, body: unknown, keys = {}) =>
    tls('POST', ENROLL_TOKEN, { ...keys, body, headers: { authorization: `Bearer ${token({ sub, ...bound })}` } })
  assert.equal((await enroll('carol', {})).status, 401)
  assert.equal((await enroll('carol', {}, other)).status, 401)
  assert.equal((await enroll('carol', {}, own)).status, 200)
  const foreign = await enroll('dave', { clientCsr: makeTestCsr().pem }, own)
  assert.deepEqual([foreign.status, foreign.json.error.code], [400, 'COULD_NOT_PROCESS_CSR'])
  const same = await enroll('dave', { clientCsr: makeTestCsr({ keyPair: own.keyPair }).pem }, own)
  assert.equal(same.status, 200, same.text)
})

test('C-18 a certificate of any issuer proves possession, also on a resumed connection', async (t) => {
  const { token, enrollingSigner, createIdentity, tls } = await setUpCertificates(t)
  await enrollingSigner()
  await createIdentity()
  const { pem, privateKey } = makeTestCertificate()
  const keys = { cert: pem, key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string }
  const headers = { authorization: `Bearer ${token(confirmationOf(keys.cert))}` }
  const first = await tls('POST', LOGIN, { ...keys, headers, version: 'TLSv1.2' })
  assert.equal(first.status, 200, first.text)
  const resume = first.tlsSession ? { resume: first.tlsSession } : {}
  assert.equal((await tls('POST', LOGIN, { ...keys, ...resume, headers, version: 'TLSv1.2' })).status, 200)
})

test('C-22 tokens of the OpenID provider for a login with DPoP need proofs of the same key', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  await createSigner()
  const identityId = await createIdentity()
  const dpop = await new DpopClient(app).start()
  const client = new OidcClient(app)
  const begin = async () => {
    const login = await client.begin({ method: 'ext-jwt' })
    const bound = token(BOUND)
    const path = '/oidc/login/ext-jwt'
    const refused = await client.call('POST', path, {
      json: { id: login.id },
      headers: { authorization: `Bearer ${bound}` },
    })
    assert.deepEqual([refused.status, challengeOf(refused)], [401, 'DPoP invalid_dpop_proof'])
    const reply = await dpop.call('POST', path, { token: bound, body: { id: login.id } })
    assert.equal(reply.status, 302, reply.text)
    return login
  }
  const TOKEN = '/oidc/oauth/token'
  const withProof = (parts = {}) => ({ headers: { dpop: dpop.proofFor('POST', TOKEN, undefined, parts) } })
  const login = await begin()
  const code = await client.code(login)
  const bare = await client.redeem(code, login)
  assert.deepEqual([bare.status, bare.json.error], [400, 'invalid_dpop_proof'])
  const stolen = await client.redeem(code, login, {}, withProof({ key: OTHER_KEY }))
  assert.deepEqual([stolen.status, stolen.json.error], [400, 'invalid_dpop_proof'])
  const early = await client.redeem(code, login, {}, withProof({ nonce: undefined }))
  assert.deepEqual([early.status, early.json.error], [400, 'use_dpop_nonce'])
  assert.equal(typeof early.headers['dpop-nonce'], 'string')
  const redeemed = await client.redeem(code, login, {}, withProof())
  assert.equal(redeemed.status, 200, redeemed.text)
  const { access_token: access, refresh_token: refresh, token_type } = redeemed.json
  assert.equal(token_type, 'DPoP')
  assert.deepEqual(claimsOf(access).cnf, BOUND.cnf)

  const own = await dpop.call('GET', OWN, { token: access })
  assert.equal(own.status, 200, own.text)
  assert.equal(own.json.data.id, identityId)
  assert.equal((await dpop.call('GET', OWN, { token: access, scheme: 'Bearer' })).status, 401)
  assert.equal((await dpop.call('GET', OWN, { token: access, proof: null })).status, 401)
  assert.equal((await dpop.call('GET', OWN, { token: access, parts: { key: OTHER_KEY } })).status, 401)
  const proof = dpop.proofFor('GET', OWN, access)
  const calls = Array.from({ length: 4 }, () => dpop.call('GET', OWN, { token: access, proof }))
  assert.equal((await Promise.all(calls)).filter(({ status }) => status === 200).length, 1)
  const userinfo = (options = {}) => dpop.call('GET', '/oidc/userinfo', { token: access, ...options })
  assert.equal((await userinfo()).status, 200)
  assert.equal((await userinfo({ scheme: 'Bearer' })).status, 401)

  const renew = { grant_type: 'refresh_token', refresh_token: refresh }
  assert.equal((await client.token(renew)).status, 400)
  assert.equal((await client.token(renew, withProof({ key: OTHER_KEY }))).status, 400)
  const renewed = await client.token(renew, withProof())
  assert.deepEqual([renewed.status, renewed.json.token_type], [200, 'DPoP'], renewed.text)
  const plain = await client.begin({ method: 'ext-jwt' })
  const bearer = { json: { id: plain.id }, headers: { authorization: `Bearer ${token()}` } }
  assert.equal((await client.call('POST', '/oidc/login/ext-jwt', bearer)).status, 302)
  const tokens = await client.finish(plain)
  assert.equal(tokens.token_type, 'Bearer')
  assert.equal((await client.get(tokens.access_token)).status, 200)
  assert.equal((await dpop.call('GET', OWN, { token: tokens.access_token })).status, 401, 'it is not bound')
})

test('C-22 a client that proves a key when it redeems its code gets a session and tokens that are bound to it', async (t) => {
  const { app } = await setUpProvider(t)
  const dpop = await new DpopClient(app).start()
  const client = new OidcClient(app)
  const begin = async () => {
    const login = await client.begin()
    assert.equal((await client.logInByPassword(login, 'admin', ADMIN_PASSWORD)).status, 302)
    return { login, code: await client.code(login) }
  }
  const withProof = (parts = {}) => ({
    headers: { dpop: dpop.proofFor('POST', '/oidc/oauth/token', undefined, parts) },
  })
  const { login, code } = await begin()
  const wrong = await client.redeem(code, login, {}, withProof({ url: 'https://other.example/oidc/oauth/token' }))
  assert.deepEqual([wrong.status, wrong.json.error], [400, 'invalid_dpop_proof'])
  const early = await client.redeem(code, login, {}, withProof({ nonce: undefined }))
  assert.deepEqual([early.status, early.json.error], [400, 'use_dpop_nonce'])
  const used = withProof()
  const redeemed = await client.redeem(code, login, {}, used)
  assert.deepEqual([redeemed.status, redeemed.json.token_type], [200, 'DPoP'], redeemed.text)
  const { access_token: access, refresh_token: refresh } = redeemed.json
  assert.deepEqual(claimsOf(access).cnf, BOUND.cnf)
  const own = await dpop.call('GET', '/edge/client/v1/current-api-session', { token: access })
  assert.deepEqual([own.status, own.json.data.boundKey], [200, BOUND.cnf.jkt], own.text)
  assert.equal((await dpop.call('GET', OWN, { token: access, parts: { key: OTHER_KEY } })).status, 401)
  assert.equal((await client.get(access)).status, 401)
  assert.equal((await client.refresh(refresh)).json.error, 'invalid_dpop_proof')
  assert.equal((await client.refresh(refresh, {}, withProof())).json.token_type, 'DPoP')

  const next = await begin()
  const replayed = await client.redeem(next.code, next.login, {}, used)
  assert.deepEqual([replayed.status, replayed.json.error], [400, 'invalid_dpop_proof'])
  const bare = await client.redeem(next.code, next.login)
  assert.deepEqual(
    [bare.status, bare.json.token_type, claimsOf(bare.json.access_token).cnf],
    [200, 'Bearer', undefined],
  )
  assert.equal((await client.get(bare.json.access_token)).status, 200)
})

test('C-18 C-19 C-21 bound tokens of the hosted API need their proof, and bind the session that they are exchanged for', async (t) => {
  const { app, token, createProvider, createAccount, call } = await setUpHosted(t, { isAlone: 'controller' })
  await createAccount(await createProvider('cognito'), 'machine')
  const dpop = await new DpopClient(app).start()
  const NETWORKS = '/core/v3/networks'
  const bound = token('cognito', 'machine', BOUND)
  const bare = await call('GET', NETWORKS, bound)
  assert.deepEqual([bare.status, challengeOf(bare)], [401, 'DPoP invalid_dpop_proof'])
  const listed = await dpop.call('GET', NETWORKS, { token: bound })
  assert.equal(listed.status, 200, listed.text)
  const early = await dpop.call('GET', NETWORKS, { token: bound, parts: { nonce: undefined } })
  assert.deepEqual([early.status, challengeOf(early)], [401, 'DPoP use_dpop_nonce'])
  const proof = dpop.proofFor('GET', NETWORKS, bound)
  const calls = Array.from({ length: 4 }, () => dpop.call('GET', NETWORKS, { token: bound, proof }))
  assert.equal((await Promise.all(calls)).filter(({ status }) => status === 200).length, 1)
  assert.equal((await call('GET', NETWORKS, token('cognito', 'machine'))).status, 200)
  assert.equal((await dpop.call('GET', NETWORKS, { token: token('cognito', 'machine') })).status, 401)

  const [network] = listed.json._embedded.networkList
  const path = `${NETWORKS}/${network.id}/exchange`
  const exchanged = await dpop.call('POST', path, { token: bound, body: { type: 'session' } })
  assert.equal(exchanged.status, 200, exchanged.text)
  const session: string = exchanged.json.value
  const MINE = '/edge/management/v1/current-identity'
  assert.equal((await app.call('GET', MINE, undefined, { session })).status, 401)
  assert.equal((await dpop.call('GET', MINE, { session })).status, 200)

  const keys = await issueTo(app, 'unrecorded')
  const tls = await overTls(app)
  const byCertificate = token('cognito', 'machine', confirmationOf(keys.certPem))
  const headers = { authorization: `Bearer ${byCertificate}` }
  assert.equal((await tls('GET', NETWORKS, { ...keys, headers })).status, 200)
  assert.equal((await tls('GET', NETWORKS, { headers })).status, 401)
})

test('C-22 an administrator’s bound session calls the hosted API with proofs only', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  await createSigner()
  await createIdentity({ isAdmin: true })
  const dpop = await new DpopClient(app).start()
  const session: string = (await dpop.logIn(token(BOUND))).json.data.token
  const NETWORKS = '/core/v3/networks'
  assert.equal((await dpop.call('GET', NETWORKS, { session })).status, 200)
  assert.equal((await app.call('GET', NETWORKS, undefined, { session })).status, 401)
})
