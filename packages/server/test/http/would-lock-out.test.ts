import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPolicy, POLICIES } from './auth-policies.fixture.ts'
import { buildApp } from './build-app.ts'
import { CAS, issueLeaf, makeCa } from './cas.fixture.ts'
import { create, SIGNERS, summarize } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, createIdentity, defaultAdminId, IDENTITIES, identityOf } from './identities.fixture.ts'

const NOTHING_ALLOWED = { cert: { allowed: false }, extJwt: { allowed: false }, updb: { allowed: false } }
const CONFIRMED = '?confirmLockOut=true'

test('N-08 a save that locks all administrators out needs a confirmation of an administrator', async (t) => {
  const app = await buildApp(t)
  const admin = await defaultAdminId(app)
  const helper = await app.makeIdentity({ permissions: ['auth-policy', 'identity'] })
  const nothing = await createPolicy(app, NOTHING_ALLOWED)
  const move = async (query: string, session = app.adminSession) =>
    app.call('PATCH', `${IDENTITIES}/${admin}${query}`, { authPolicyId: nothing }, { session })
  const refused = await move('')
  assert.equal(summarize(refused), '409 WOULD_LOCK_OUT')
  assert.match(refused.json.error.cause.message, /confirmLockOut=true/)
  for (const query of ['?confirmLockOut=false', '?confirmLockOut=', '?confirmLockOut=1', '?confirmlockout=true']) {
    assert.equal(summarize(await move(query)), '409 WOULD_LOCK_OUT', query)
  }
  assert.equal((await identityOf(app, admin)).authPolicyId, 'default')
  assert.equal(summarize(await move(CONFIRMED, helper.session)), '401 UNAUTHORIZED')
  assert.equal(summarize(await move(CONFIRMED)), '200')
  assert.equal((await identityOf(app, admin).catch(() => undefined)) ?? 'session refused', 'session refused')
})

test('N-08 D35 a confirmation never removes the last enabled administrator', async (t) => {
  const app = await buildApp(t)
  const admin = await defaultAdminId(app)
  const disable = (query: string) => app.admin('POST', `${IDENTITIES}/${admin}/disable${query}`, { durationMinutes: 1 })
  assert.equal(summarize(await disable('')), '409 LAST_ADMINISTRATOR')
  assert.equal(summarize(await disable(CONFIRMED)), '409 LAST_ADMINISTRATOR')
  await app.makeIdentity({ isAdmin: true })
  assert.equal(summarize(await disable('')), '200')
})

test('N-08 the confirmation counts on every door, and only that of administrators', async (t) => {
  const app = await buildApp(t)
  const signer = await create(app)
  const manager = await app.makeIdentity({ permissions: ['external-jwt-signer', 'ca'] })
  const tokensAndCertificates = await createPolicy(app, { ...NOTHING_ALLOWED, extJwt: { allowed: true } })
  await createIdentity(app, { isAdmin: true, authPolicyId: tokensAndCertificates })
  const other = await app.makeIdentity({ isAdmin: true })
  const { id: ca, authority } = await makeCa(app)
  const certificates = await createPolicy(app, { ...NOTHING_ALLOWED, cert: { allowed: true } })
  const byCertificate = await createIdentity(app, { isAdmin: true, authPolicyId: certificates })
  const { pem: certPem } = issueLeaf(authority).certificate
  const made = await app.admin('POST', AUTHENTICATORS, { method: 'cert', identityId: byCertificate, certPem })
  assert.equal(made.status, 201, made.text)
  const passwordOf = async (id: string) => (await identityOf(app, id)).authenticators.updb.id
  const [password, own] = [await passwordOf(await defaultAdminId(app)), await passwordOf(other.id)]
  const send = async (method: string, path: string, body?: unknown, session = app.adminSession) =>
    summarize(await app.call(method, path, body, { session }))

  assert.equal(await send('DELETE', `${AUTHENTICATORS}/${password}`), '200')
  assert.equal(await send('PATCH', `${CAS}/${ca}`, { isAuthEnabled: false }), '200')
  assert.equal(await send('PATCH', `${SIGNERS}/${signer}`, { enabled: false }), '200', 'a password is left')
  assert.equal(await send('PATCH', `${SIGNERS}/${signer}`, { enabled: true }), '200')
  assert.equal(await send('PATCH', `${CAS}/${ca}`, { isAuthEnabled: true }), '200')

  const doors: readonly [string, string, unknown][] = [
    ['DELETE', `${AUTHENTICATORS}/${own}`, undefined],
    ['PATCH', `${SIGNERS}/${signer}`, { enabled: false }],
    ['PATCH', `${CAS}/${ca}`, { isAuthEnabled: false }],
  ]
  for (const [method, path, body] of doors.slice(0, 2))
    assert.equal(await send(method, path, body, other.session), '200', path)
  for (const query of ['', CONFIRMED]) {
    assert.equal(
      await send('PATCH', `${CAS}/${ca}${query}`, { isAuthEnabled: false }, manager.session),
      '409 WOULD_LOCK_OUT',
    )
  }
  assert.equal(await send('DELETE', `${CAS}/${ca}`, undefined, other.session), '409 WOULD_LOCK_OUT')
  assert.equal(await send('PATCH', `${CAS}/${ca}`, { isAuthEnabled: false }, other.session), '409 WOULD_LOCK_OUT')
  assert.equal(
    await send('PATCH', `${POLICIES}/${certificates}`, { primary: NOTHING_ALLOWED }, other.session),
    '409 WOULD_LOCK_OUT',
  )
  assert.equal(await send('PATCH', `${CAS}/${ca}${CONFIRMED}`, { isAuthEnabled: false }, other.session), '200')
  assert.equal(
    await send('PATCH', `${SIGNERS}/${signer}`, { enabled: true }, other.session),
    '200',
    'nothing is refused that only adds',
  )
})
