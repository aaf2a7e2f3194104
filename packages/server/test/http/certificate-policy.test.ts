import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import { createPolicy, POLICIES } from './auth-policies.fixture.ts'
import { type ClientKeys, LOG_IN, makeHolder, overTls, pemOfKey } from './client-certificates.fixture.ts'
import { setUpEnrollment } from './enroll-token.fixture.ts'
import { createEnrolling, enrollWithCsr } from './enrollments.fixture.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { IDENTITIES } from './identities.fixture.ts'
import { ALICE, SIGNERS } from './provider.fixture.ts'

const OWN = '/edge/client/v1/current-identity/authenticators'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** An identity that a token has enrolled to a certificate, under a policy. */
async function setUp(t: TestContext, certificate: Readonly<Record<string, unknown>>) {
  const provider = await setUpEnrollment(t, { isAlone: 'controller' })
  const { app, token, enroll } = provider
  const policyId = await createPolicy(app, { certificate })
  const signerId = await provider.enrollingSigner({ enrollAuthPolicyId: policyId })
  const call = await overTls(app)
  const csr = makeTestCsr()
  const enrolled = await enroll(token(), { clientCsr: csr.pem })
  assert.equal(enrolled.status, 200, enrolled.text)
  const keys: ClientKeys = { cert: enrolled.json.data.cert, key: pemOfKey(csr) }
  /** Renews with a new session and these tokens. */
  const renew = async (bearers: readonly string[] = [], by: ClientKeys = keys) => {
    const login = await call('POST', LOG_IN, by)
    assert.equal(login.status, 200, login.text)
    const { token: session, authenticatorId } = login.json.data
    const headers = bearers.length > 0 ? { authorization: bearers.map((bearer) => `Bearer ${bearer}`) } : {}
    const body = { clientCertCsr: makeTestCsr().pem }
    const options = { ...by, session, body, headers: headers as unknown as Record<string, string> }
    return call('POST', `${OWN}/${authenticatorId}/extend`, options)
  }
  const identity = (await app.admin('GET', `${IDENTITIES}?filter=externalId="${ALICE}"`)).json.data[0]
  return { ...provider, call, policyId, signerId, keys, renew, identityId: identity.id as string }
}

const daysOf = (pem: string, now: number): number =>
  Math.round((new X509Certificate(pem).validToDate.getTime() - now) / DAY_MS)

test('J-27 a renewal needs a fresh token of the signer that enrolled the identity, when the policy says so', async (t) => {
  const world = await setUp(t, { renewalNeedsToken: true, renewalGraceHours: 0 })
  const { app, token, renew, createSigner, signerId, policyId, identityId } = world
  const refused = await renew()
  assert.equal(summarize(refused), '401 UNAUTHORIZED')
  assert.match(
    refused.headers['www-authenticate'] ?? '',
    new RegExp(`^Bearer realm=.* error="missing".* id="${signerId}"`),
  )
  assert.equal((await renew([token()])).status, 200)

  const now = Math.floor(app.clock.now() / 1000)
  assert.equal(summarize(await renew([token({ exp: now - 10, iat: now - 20 })])), '401 UNAUTHORIZED', 'expired')
  assert.equal(summarize(await renew([token({ sub: 'other@idp.example' })])), '401 UNAUTHORIZED', 'of another identity')
  await createSigner({ name: 'other', audience: 'other', externalAuthUrl: null })
  assert.equal(summarize(await renew([token({ aud: 'other' })])), '401 UNAUTHORIZED', 'of another signer')
  assert.equal((await renew(['nonsense', token()])).status, 200)

  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enabled: false })
  assert.equal(summarize(await renew([token()])), '401 UNAUTHORIZED', 'a disabled signer')
  await app.admin('PATCH', `${SIGNERS}/${signerId}`, { enabled: true })
  assert.equal((await renew([token()])).status, 200)

  await app.admin('PATCH', `${POLICIES}/${policyId}`, { certificate: { renewalNeedsToken: false } })
  assert.equal((await renew()).status, 200)
  assert.ok(identityId)
})

test('J-27 a token that names the identity no more when the renewal is stored does not count', async (t) => {
  const { app, token, renew, identityId } = await setUp(t, { renewalNeedsToken: true, renewalGraceHours: 0 })
  const patch = (body: object) => app.admin('PATCH', `${IDENTITIES}/${identityId}`, body)
  const { run } = app.store
  const renewAfter = async (body: object) => {
    app.store.run = async (operation, args, meta) => {
      if (operation.name === 'authenticator.stageRenewal') assert.equal((await patch(body)).status, 200)
      return run(operation, args, meta)
    }
    const reply = await renew([token()])
    app.store.run = run
    return reply
  }
  assert.equal((await renewAfter({ tags: { team: 'red' } })).status, 200)
  assert.equal(summarize(await renewAfter({ externalId: 'other@idp.example' })), '401 UNAUTHORIZED')
})

test('J-27 within the grace after a token, a renewal needs none', async (t) => {
  const { app, token, renew } = await setUp(t, { renewalNeedsToken: true, renewalGraceHours: 2 })
  assert.equal((await renew()).status, 200, 'the enrollment had a token')
  app.clock.advance(2 * HOUR_MS - 60_000)
  assert.equal((await renew()).status, 200)
  app.clock.advance(120_000)
  assert.equal(summarize(await renew()), '401 UNAUTHORIZED')
  assert.equal((await renew([token()])).status, 200)
  app.clock.advance(HOUR_MS)
  assert.equal((await renew()).status, 200, 'the renewal had a token')
})

test('J-27 an identity that no signer enrolled renews with a token of a signer that an administrator has linked', async (t) => {
  const { app, token, renew, signerId, policyId, identityId } = await setUp(t, { renewalNeedsToken: true })
  const sub = 'machine@idp.example'
  const holder = await makeHolder(app, { identity: { externalId: sub, authPolicyId: policyId } })
  assert.equal(summarize(await renew([], holder)), '401 UNAUTHORIZED')
  assert.equal(summarize(await renew([token({ sub })], holder)), '401 UNAUTHORIZED', 'no signer is linked')
  await app.admin('PATCH', `${IDENTITIES}/${holder.id}`, { linkedSigners: [signerId] })
  assert.equal(summarize(await renew([], holder)), '401 UNAUTHORIZED')
  assert.equal((await renew([token({ sub })], holder)).status, 200)
  assert.notEqual(holder.id, identityId)
})

test('J-28 certificates are valid for at most maxDays of the policy, from enrollment and renewal', async (t) => {
  const { app, token, keys, renew, policyId } = await setUp(t, { maxDays: 30 })
  assert.equal(daysOf(keys.cert, app.clock.now()), 30)
  const renewed = await renew([token()])
  assert.equal(daysOf(renewed.json.data.clientCert, app.clock.now()), 30)
  const byOneTimeToken = async (members: Record<string, unknown>) => {
    const { token: oneTime } = await createEnrolling(app, members)
    return (await enrollWithCsr(app, oneTime, makeTestCsr().pem)).json.data.cert as string
  }
  assert.equal(daysOf(await byOneTimeToken({ authPolicyId: policyId }), app.clock.now()), 30)
  assert.equal(daysOf(await byOneTimeToken({}), app.clock.now()), 365)
  await app.admin('PATCH', `${POLICIES}/${policyId}`, { certificate: { maxDays: 3650 } })
  assert.equal(daysOf((await renew()).json.data.clientCert, app.clock.now()), 365, 'never longer than the setting')
})

test('J-28 a policy refuses other values of its members about certificates', async (t) => {
  const { app } = await setUpEnrollment(t)
  const id = await createPolicy(app)
  const patch = async (certificate: unknown) =>
    summarize(await app.admin('PATCH', `${POLICIES}/${id}`, { certificate }))
  for (const certificate of [
    { maxDays: 0 },
    { maxDays: 3651 },
    { maxDays: 1.5 },
    { maxDays: '30' },
    { renewalNeedsToken: 'yes' },
    { renewalGraceHours: -1 },
    { renewalGraceHours: 8761 },
    [],
  ]) {
    assert.match(await patch(certificate), /^400 COULD_NOT_/, JSON.stringify(certificate))
  }
  const highest = { maxDays: 3650, renewalNeedsToken: true, renewalGraceHours: 8760 }
  assert.equal(await patch(highest), '200')
  assert.deepEqual((await app.admin('GET', `${POLICIES}/${id}`)).json.data.certificate, highest)
  assert.equal(await patch({ maxDays: null, renewalGraceHours: 0 }), '200')
})
