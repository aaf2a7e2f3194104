import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import { buildApp, type TestApp } from './build-app.ts'
import { LOG_IN, overTls, pemOfKey } from './client-certificates.fixture.ts'
import { enroll, KINDS, refusal, setUpEnrollment } from './enroll-token.fixture.ts'
import { createEnrolling, ENROLL, enrollWithCsr, inAnHour } from './enrollments.fixture.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, defaultAdminId, IDENTITIES, identityOf } from './identities.fixture.ts'

/** Redeems a token and returns the client's certificate and key. */
async function enrollNow(app: TestApp, token: string) {
  const csr = makeTestCsr()
  const reply = await enrollWithCsr(app, token, csr.pem)
  assert.equal(reply.status, 200, reply.text)
  return { cert: reply.json.data.cert as string, key: pemOfKey(csr) }
}

test('J-18 a certificate logs its identity in, until the identity is disabled or enrolls again', async (t) => {
  const app = await buildApp(t)
  const call = await overTls(app)
  const { identityId, token } = await createEnrolling(app)
  const first = await enrollNow(app, token)
  const loggedIn = await call('POST', LOG_IN, first)
  assert.equal(loggedIn.status, 200, loggedIn.text)
  assert.equal(loggedIn.json.data.identityId, identityId)

  await app.admin('POST', `${IDENTITIES}/${identityId}/disable`, { durationMinutes: 0 })
  assert.equal(summarize(await call('POST', LOG_IN, first)), '401 INVALID_AUTH')
  await app.admin('POST', `${IDENTITIES}/${identityId}/enable`)
  const again = await call('POST', LOG_IN, first)
  assert.equal(again.status, 200)

  const { id } = (await identityOf(app, identityId)).authenticators.cert
  const path = `${AUTHENTICATORS}/${id}/re-enroll`
  assert.equal((await app.admin('POST', path, { expiresAt: inAnHour(app) })).status, 201)
  assert.equal(summarize(await call('POST', LOG_IN, first)), '401 INVALID_AUTH', 'the old certificate is refused')
  const session = { session: again.json.data.token }
  assert.equal(summarize(await call('GET', '/edge/client/v1/current-identity', session)), '401 UNAUTHORIZED')
  const second = await enrollNow(app, (await identityOf(app, identityId)).enrollment.ott.token)
  assert.equal((await call('POST', LOG_IN, second)).status, 200)
  assert.equal(summarize(await call('POST', LOG_IN, first)), '401 INVALID_AUTH')

  await app.admin('DELETE', `${IDENTITIES}/${identityId}`)
  assert.equal(summarize(await call('POST', LOG_IN, second)), '401 INVALID_AUTH')
})

test('an enrolled identity can get a second certificate, and both log it in', async (t) => {
  const app = await buildApp(t)
  const call = await overTls(app)
  const { identityId, token } = await createEnrolling(app)
  const first = await enrollNow(app, token)
  const body = { method: 'ott', identityId, expiresAt: inAnHour(app) }
  assert.equal((await app.admin('POST', '/edge/management/v1/enrollments', body)).status, 201)
  const second = await enrollNow(app, (await identityOf(app, identityId)).enrollment.ott.token)
  for (const keys of [first, second]) {
    assert.equal((await call('POST', LOG_IN, keys)).json.data.identityId, identityId)
  }
})

test('M-12 only the token determines which identity enrolls', async (t) => {
  const app = await buildApp(t)
  const admin = await defaultAdminId(app)
  const { identityId, token } = await createEnrolling(app)
  const csr = makeTestCsr({ subject: { commonName: admin } })
  const others = { identityId: admin, id: admin, sub: admin, name: 'admin', isAdmin: true, permissions: ['identity'] }
  const reply = await app.call('POST', `${ENROLL}/ott?identityId=${admin}`, { token, clientCsr: csr.pem, ...others })
  assert.equal(reply.status, 200, reply.text)
  assert.equal(new X509Certificate(reply.json.data.cert).subject, `CN=${identityId}`)
  const { isAdmin, permissions, name } = await identityOf(app, identityId)
  assert.deepEqual([isAdmin, permissions, name === 'admin'], [false, null, false])
  assert.deepEqual(Object.keys((await identityOf(app, admin)).authenticators), ['updb'])
})

test('a compressed request is refused, and a certificate request must be text', async (t) => {
  const app = await buildApp(t)
  const { token } = await createEnrolling(app)
  const { pem } = makeTestCsr()
  const compressed = await enrollWithCsr(app, token, pem, { headers: { 'content-encoding': 'gzip' } })
  assert.equal(summarize(compressed), '415 COULD_NOT_VALIDATE Content-Encoding')
  for (const clientCsr of [[pem], { pem }, 5, true]) {
    const reply = await app.call('POST', `${ENROLL}/ott`, { token, clientCsr })
    assert.equal(summarize(reply), '400 MISSING_OR_INVALID_CSR')
  }
  assert.equal(summarize(await enrollWithCsr(app, token, pem)), '200')
})

test('a provider’s token also enrolls through the general endpoint', async (t) => {
  const { app, token, enrollingSigner } = await setUpEnrollment(t)
  await enrollingSigner()
  const path = `${ENROLL}?method=token`
  assert.equal(refusal(await enroll(app, { path })), '400 INVALID_ENROLLMENT_TOKEN')
  for (const [kind, sub] of [
    ['token', 'one'],
    ['cert', 'two'],
  ] as const) {
    const given = { tokens: [token({ sub, email: `${sub}@example.test`, name: sub })], body: KINDS[kind]() }
    const reply = await enroll(app, { path, ...given })
    assert.equal(reply.status, 200, reply.text)
    assert.equal('cert' in reply.json.data, kind === 'cert')
    assert.equal(reply.json.data.controllers.length, 1)
    assert.equal(refusal(await enroll(app, { path, ...given })), '409 ENROLLMENT_IDENTITY_ALREADY_ENROLLED')
  }
})
