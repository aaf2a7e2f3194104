import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { Agent } from 'node:https'
import { type TestContext, test } from 'node:test'
import { buildExtension, der, OID } from '@countersign/core'
import { buildTestKeyUsage, makeTestAuthority } from '@countersign/testkit'
import { createPolicy } from './auth-policies.fixture.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from './build-app.ts'
import {
  CAS,
  CLAIM,
  CLIENT_AUTH,
  caOf,
  issueLeaf,
  makeCa,
  SERVER_ONLY,
  type TestCa,
  type TestLeaf,
  verify,
} from './cas.fixture.ts'
import { LOG_IN, overTls, pemOfKey, type TlsReply } from './client-certificates.fixture.ts'
import { ENROLL } from './enrollments.fixture.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, createIdentity, IDENTITIES, identityOf, OWN_IDENTITY } from './identities.fixture.ts'
import { DECISIONS, decisionOf, storeDecisions } from './provider.fixture.ts'

const PAST = { notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01') }
const FUTURE = { notBefore: new Date('2035-01-01'), notAfter: new Date('2036-01-01') }

async function setUp(t: TestContext) {
  const app = await buildApp(t)
  const call = await overTls(app)
  const logIn = (keys: Partial<TestLeaf>) => {
    const { cert, key } = keys
    return call('POST', LOG_IN, { ...(cert && { cert }), ...(key && { key }) })
  }
  const enroll = (keys: TestLeaf) => call('POST', `${ENROLL}?method=ca`, { cert: keys.cert, key: keys.key, body: {} })
  /** Creates an identity that enrolls with a certificate of the CA. */
  const makeDevice = async (
    issuer: Parameters<typeof issueLeaf>[0],
    ...rest: [object?, TestLeaf['certificate'][]?]
  ) => {
    const leaf = issueLeaf(issuer, ...rest)
    assert.equal((await enroll(leaf)).status, 200)
    const { identityId } = (await logIn(leaf)).json.data
    return { ...leaf, identityId: identityId as string }
  }
  const isOpen = async (session: string) => {
    return (await app.call('GET', OWN_IDENTITY, undefined, { session })).status === 200
  }
  return { app, call, logIn, enroll, makeDevice, isOpen }
}

/** The reason that administrators find under the request id of a refusal. The caller gets none. */
async function reasonOf(app: TestApp, reply: TlsReply): Promise<string> {
  assert.equal(summarize(reply), '401 INVALID_AUTH', reply.text)
  assert.equal(reply.json.error.cause, undefined)
  const session = await app.logIn('admin', ADMIN_PASSWORD)
  await storeDecisions(app, session)
  const decision = await app.call('GET', `${DECISIONS}/${reply.json.error.requestId}`, undefined, { session })
  return decision.json.data.reason
}

test('W-89 a certificate of a verified CA logs in on both APIs, and its session has no renewal', async (t) => {
  const { app, call, logIn, makeDevice } = await setUp(t)
  const { id, authority } = await makeCa(app, { name: 'Corp' })
  const device = await makeDevice(authority, { commonName: 'laptop-17' })
  for (const api of ['client', 'management']) {
    const reply = await call('POST', `/edge/${api}/v1/authenticate?method=cert`, { cert: device.cert, key: device.key })
    assert.equal(reply.status, 200, reply.text)
    const { identity, authenticatorId, isCertExtendable } = reply.json.data
    const { authenticators } = await identityOf(app, device.identityId)
    assert.deepEqual(
      [identity.name, authenticatorId, isCertExtendable],
      ['Corp-laptop-17', authenticators.cert.id, false],
    )
  }
  const { data } = (await app.admin('GET', `${IDENTITIES}/${device.identityId}/authenticators`)).json
  assert.deepEqual([data[0].isIssuedByNetwork, data[0].lastAuthResolvedToRoot], [false, true])
  const extend = await app.admin('POST', `${AUTHENTICATORS}/${data[0].id}/request-extend`, {})
  assert.equal(summarize(extend), '409 CAN_NOT_UPDATE_AUTHENTICATOR')
  const session = (await logIn(device)).json.data.token
  const own = await call('POST', `${OWN_IDENTITY}/authenticators/${data[0].id}/extend`, {
    cert: device.cert,
    key: device.key,
    session,
    body: { clientCertCsr: 'x' },
  })
  assert.equal(summarize(own), '409 CAN_NOT_UPDATE_AUTHENTICATOR')
  const events = app.events('authentication').filter((event) => event.type === 'cert' && event.success)
  assert.ok(events.length > 0 && events.every((event) => event.ca_id === id), 'events name the CA')
})

test('W-89 J-20 J-21 only a certificate of a usable CA, for clients and with its chain, logs in', async (t) => {
  const { app, logIn, makeDevice } = await setUp(t)
  const { id, authority } = await makeCa(app)
  const between = makeTestAuthority({ issuer: authority, commonName: 'between' })
  const device = await makeDevice(between, {}, [between])
  const patch = async (body: object) => {
    assert.equal(summarize(await app.admin('PATCH', `${CAS}/${id}`, body)), '200')
  }
  assert.equal((await logIn(device)).status, 200)
  assert.equal(await reasonOf(app, await logIn({ ...device, cert: device.certificate.pem })), 'certificate-foreign')
  const stranger = issueLeaf(makeTestAuthority({ commonName: 'other' }))
  assert.equal(await reasonOf(app, await logIn(stranger)), 'certificate-foreign')
  assert.equal(await reasonOf(app, await logIn(issueLeaf(authority))), 'certificate-unknown')
  await patch({ isAuthEnabled: false })
  assert.equal(await reasonOf(app, await logIn(device)), 'certificate-foreign')
  await patch({ isAuthEnabled: true, isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false })
  assert.equal((await logIn(device)).status, 200, 'enrollment is not asked')
  const unverified = await makeCa(app, { isVerified: false })
  assert.equal(await reasonOf(app, await logIn(issueLeaf(unverified.authority))), 'certificate-foreign')

  await patch({ externalIdClaim: CLAIM })
  const named = (commonName: string, options = {}) => issueLeaf(authority, { commonName, ...options })
  await createIdentity(app, { externalId: 'alice' })
  const anyCert = await logIn(named('alice'))
  assert.deepEqual([anyCert.status, anyCert.json.data.authenticatorId], [200, 'internal'])
  assert.equal((await logIn(named('alice', { extensions: [CLIENT_AUTH] }))).status, 200)
  const server = named('alice', { extensions: [SERVER_ONLY] })
  assert.equal(await reasonOf(app, await logIn(server)), 'certificate-not-for-clients')
  const unnamed = await decisionOf(app, (await logIn(named('bob'))).json.error.requestId)
  assert.deepEqual([unnamed.reason, unnamed.claimedIdentity], ['certificate-unnamed', 'bob'])
  assert.equal(await reasonOf(app, await logIn(named('Alice'))), 'certificate-unnamed', 'compared exactly')
  await createIdentity(app, { externalId: 'the CA' })
  const self = makeTestAuthority({ commonName: 'the CA' })
  await makeCa(app, { authority: self, externalIdClaim: CLAIM })
  const ownCa = { cert: self.pem, key: pemOfKey(self) }
  assert.equal(await reasonOf(app, await logIn(ownCa)), 'certificate-not-for-clients', 'the CA itself')
  assert.equal(await reasonOf(app, await logIn(device)), 'certificate-unnamed', 'the claim excludes the recorded one')
  assert.equal((await logIn(named('alice', { kind: 'rsa2048' }))).status, 200)
  const weak = named('alice', { kind: 'rsa1024' })
  // OpenSSL refuses some weak keys in the handshake already.
  const reply = await logIn(weak).catch(() => undefined)
  if (reply) assert.equal(await reasonOf(app, reply), 'certificate-foreign')
})

test('W-89 policy and dates decide, and a CA that has expired logs in no identity', async (t) => {
  const { app, logIn } = await setUp(t)
  const { authority } = await makeCa(app, { externalIdClaim: CLAIM })
  const cert = { allowed: true, allowExpiredCerts: true }
  const lenient = await createPolicy(app, { cert })
  const closed = await createPolicy(app, { cert: { ...cert, allowed: false } })
  await createIdentity(app, { externalId: 'strict' })
  const id = await createIdentity(app, { externalId: 'lenient', authPolicyId: lenient })
  await createIdentity(app, { externalId: 'closed', authPolicyId: closed })
  const attempt = (commonName: string, dates = {}) => logIn(issueLeaf(authority, { commonName, ...dates }))
  assert.equal((await attempt('strict')).status, 200)
  assert.equal(await reasonOf(app, await attempt('strict', PAST)), 'certificate-expired')
  assert.equal((await attempt('lenient', PAST)).status, 200)
  assert.equal(await reasonOf(app, await attempt('lenient', FUTURE)), 'certificate-not-yet-valid')
  assert.equal(await reasonOf(app, await attempt('closed')), 'not-allowed')
  await app.admin('POST', `${IDENTITIES}/${id}/disable`, { durationMinutes: 0 })
  assert.equal(await reasonOf(app, await attempt('lenient')), 'disabled')

  const short = await makeCa(app, { externalIdClaim: CLAIM, options: { notAfter: new Date(app.clock.now() + 60_000) } })
  const leaf = issueLeaf(short.authority, { commonName: 'strict' })
  assert.equal((await logIn(leaf)).status, 200)
  app.clock.advance(120_000)
  assert.equal(await reasonOf(app, await logIn(leaf)), 'certificate-foreign')
})

test('W-90 with a claim the external id decides, not the authenticator', async (t) => {
  const { app, logIn } = await setUp(t)
  const { id, authority } = await makeCa(app, { externalIdClaim: CLAIM })
  const identityId = await createIdentity(app, { externalId: 'alice' })
  const leaf = issueLeaf(authority, { commonName: 'alice' })
  const record = async () => {
    const body = { method: 'cert', identityId, certPem: leaf.certificate.pem }
    return (await app.admin('POST', AUTHENTICATORS, body)).json.data.id as string
  }
  const recorded = await record()
  assert.equal((await logIn(leaf)).status, 200)
  assert.equal((await app.admin('DELETE', `${AUTHENTICATORS}/${recorded}`)).status, 200)
  assert.equal((await logIn(leaf)).status, 200)
  const name = (externalId: string) => app.admin('PATCH', `${IDENTITIES}/${identityId}`, { externalId })
  assert.equal((await name('alicia')).status, 200)
  assert.equal(await reasonOf(app, await logIn(leaf)), 'certificate-unnamed')
  assert.equal((await name('alice')).status, 200)
  await app.admin('POST', `${IDENTITIES}/${identityId}/disable`, { durationMinutes: 0 })
  assert.equal(await reasonOf(app, await logIn(leaf)), 'disabled')
  await app.admin('POST', `${IDENTITIES}/${identityId}/enable`)
  assert.equal((await app.admin('PATCH', `${CAS}/${id}`, { externalIdClaim: null })).status, 200)
  const again = await record()
  assert.equal((await logIn(leaf)).status, 200)
  assert.equal((await app.admin('DELETE', `${AUTHENTICATORS}/${again}`)).status, 200)
  assert.equal(
    await reasonOf(app, await logIn(leaf)),
    'certificate-unknown',
    'without a claim the authenticator decides',
  )
})

test('W-89 an administrator records a certificate of a third-party CA with an identity', async (t) => {
  const { app, logIn } = await setUp(t)
  const { authority } = await makeCa(app)
  const record = async (leaf: TestLeaf) => {
    const body = { method: 'cert', identityId: await createIdentity(app), certPem: leaf.certificate.pem }
    return app.admin('POST', AUTHENTICATORS, body)
  }
  const leaf = issueLeaf(authority)
  assert.equal(summarize(await record(leaf)), '201')
  assert.equal((await logIn(leaf)).status, 200)
  const unverified = await makeCa(app, { isVerified: false })
  for (const bad of [
    issueLeaf(unverified.authority),
    issueLeaf(authority, { extensions: [SERVER_ONLY] }),
    issueLeaf(authority, PAST),
  ]) {
    assert.equal(summarize(await record(bad)), '400 INVALID_CERT_PEM certPem')
  }
})

test('W-89 I-14 an intermediate counts on a resumed connection too, and the chain is checked again', async (t) => {
  const { app, call, makeDevice } = await setUp(t)
  const { id, authority } = await makeCa(app)
  const upper = makeTestAuthority({ issuer: authority, commonName: 'upper' })
  const lower = makeTestAuthority({ issuer: upper, commonName: 'lower' })
  const { cert, key } = await makeDevice(lower, {}, [lower, upper])
  const first = await call('POST', LOG_IN, { cert, key, version: 'TLSv1.2' })
  const resume = async () => {
    const reply = await call('POST', LOG_IN, {
      cert,
      key,
      version: 'TLSv1.2',
      resume: first.tlsSession ?? assert.fail(),
    })
    assert.ok(reply.isResumed)
    return reply.status
  }
  assert.equal(await resume(), 200)
  const stored = () => app.store.db.selectFrom('ca_intermediates').select('fingerprint').execute()
  assert.equal((await stored()).length, 2, 'another worker may have the resumed connection')
  const unsent = issueLeaf(lower)
  assert.equal((await call('POST', LOG_IN, { cert: unsent.cert, key: unsent.key })).status, 401, 'a new one sends them')
  assert.equal(summarize(await app.admin('DELETE', `${CAS}/${id}`)), '200')
  assert.equal(await resume(), 401, 'I-14 the chain is checked again')
  assert.equal((await stored()).length, 0)
})

test('W-89 I-14 the owner of a CA cannot crowd out the stored intermediates of another', async (t) => {
  const { app, call, makeDevice } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['ca'] })
  const makeUntrusted = () => makeCa(app, { session })
  const untrusted = [await makeUntrusted(), await makeUntrusted()].sort((one, other) => (one.id < other.id ? -1 : 1))
  const [hostile = assert.fail(), victim = assert.fail()] = untrusted
  const trusted = await makeCa(app)
  const openAndResume = async ({ authority }: TestCa) => {
    const between = makeTestAuthority({ commonName: 'between', issuer: authority })
    const { cert, key } = await makeDevice(between, {}, [between])
    const keys = { cert, key, version: 'TLSv1.2' as const }
    const { tlsSession = assert.fail() } = await call('POST', LOG_IN, keys)
    return async () => {
      const reply = await call('POST', LOG_IN, { ...keys, resume: tlsSession })
      assert.ok(reply.isResumed)
      return reply.status
    }
  }
  const resumes = [await openAndResume(victim), await openAndResume(trusted)]
  for (let count = 0; count < 8; count++) {
    app.clock.advance(1000)
    const between = makeTestAuthority({ commonName: 'between', issuer: hostile.authority })
    await makeDevice(between, {}, [between])
  }
  for (const resume of resumes) assert.equal(await resume(), 200)
  assert.equal(await (await openAndResume(hostile))(), 200)
  for (const { id } of [victim, trusted]) assert.equal(summarize(await app.admin('DELETE', `${CAS}/${id}`)), '200')
  for (const resume of resumes) assert.equal(await resume(), 401, 'those of another CA do not count')
})

test('W-89 J-21 the signatures of a chain are verified by few keys, also when many CAs have one name', async (t) => {
  const { app, logIn, enroll } = await setUp(t)
  const options = { commonName: 'Corp' }
  const { session } = await app.makeIdentity({ permissions: ['ca'] })
  for (let count = 0; count < 10; count++) await makeCa(app, { options, session })
  const { authority } = await makeCa(app, { options })
  for (let count = 0; count < 10; count++) await makeCa(app, { options, session })
  const verify = t.mock.method(X509Certificate.prototype, 'verify')
  const forger = makeTestAuthority(options)
  const fillers = Array.from({ length: 8 }, () => makeTestAuthority({ commonName: 'between', issuer: forger }))
  const forged = issueLeaf(makeTestAuthority({ commonName: 'between' }), {}, fillers)
  assert.equal(await reasonOf(app, await logIn(forged)), 'certificate-foreign')
  const checks = verify.mock.callCount()
  assert.ok(checks <= 16, `${checks} signatures were verified`)
  const between = makeTestAuthority({ commonName: 'between', issuer: authority })
  const device = issueLeaf(between, {}, [between])
  assert.equal((await enroll(device)).status, 200, 'the trusted CA comes first')
  assert.equal((await logIn(device)).status, 200)
})

test('W-89 J-21 logins on one connection verify its chain once, but read the CA, its trust and all dates each time', async (t) => {
  const { app, call, makeDevice } = await setUp(t)
  const { id, authority } = await makeCa(app, { options: { kind: 'ec521' } })
  const notAfter = new Date(app.clock.now() + 3_600_000)
  const upper = makeTestAuthority({ issuer: authority, commonName: 'upper', kind: 'ec521', notAfter })
  const lower = makeTestAuthority({ issuer: upper, commonName: 'lower', kind: 'ec521' })
  const { cert, key } = await makeDevice(lower, {}, [lower, upper])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const verify = t.mock.method(X509Certificate.prototype, 'verify')
  const logIn = async () => (await call('POST', LOG_IN, { cert, key, agent })).status
  const patch = async (body: object) => {
    assert.equal(summarize(await app.admin('PATCH', `${CAS}/${id}`, body)), '200')
  }
  assert.equal(await logIn(), 200)
  const checks = verify.mock.callCount()
  for (let nth = 0; nth < 5; nth++) assert.equal(await logIn(), 200)
  await patch({ isAuthEnabled: false })
  assert.equal(await logIn(), 401)
  await patch({ isAuthEnabled: true })
  assert.equal(await logIn(), 200)
  app.clock.advance(3_700_000)
  assert.equal(await logIn(), 401, 'an intermediate has expired')
  app.clock.advance(-3_700_000)
  assert.equal(await logIn(), 200)
  assert.equal(verify.mock.callCount(), checks)
})

test('W-89 what else a certificate must be: strict DER, short, and with a key for signatures', async (t) => {
  const { app, logIn } = await setUp(t)
  const { authority } = await makeCa(app, { externalIdClaim: { ...CLAIM, location: 'SAN_EMAIL' } })
  await createIdentity(app, { externalId: 'alice@corp.test' })
  const withNames = (email: string, ...extensions: Buffer[]) => {
    const names = buildExtension(OID.subjectAltName, der.sequence(der.implicitTag(1, Buffer.from(email))))
    return logIn(issueLeaf(authority, { extensions: [names, ...extensions] }))
  }
  const filler = (bytes: number) => buildExtension('1.3.6.1.4.1.99999.1', Buffer.alloc(bytes))
  assert.equal((await withNames('alice@corp.test')).status, 200)
  assert.equal((await withNames('alice@corp.test', filler(15_000))).status, 200)
  assert.equal((await withNames('alice@corp.test', buildTestKeyUsage('digitalSignature'))).status, 200)
  assert.equal(await reasonOf(app, await withNames('älice@corp.test')), 'certificate-malformed')
  assert.equal(await reasonOf(app, await withNames('alice@corp.test', filler(16_384))), 'certificate-malformed')
  const notForSignatures = await withNames('alice@corp.test', buildTestKeyUsage('keyEncipherment'))
  assert.equal(await reasonOf(app, notForSignatures), 'certificate-not-for-clients')
  const constrained = await withNames('alice@corp.test', buildExtension(OID.nameConstraints, der.sequence(), true))
  assert.equal(await reasonOf(app, constrained), 'certificate-not-for-clients')
  const sha1 = issueLeaf(authority, { hash: 'sha1' })
  // OpenSSL refuses a leaf with a broken hash in the handshake already.
  const reply = await logIn(sha1).catch(() => undefined)
  if (reply) assert.equal(await reasonOf(app, reply), 'certificate-foreign')
})

test('W-89 W-90 without its authenticator or identity a certificate logs in no identity, and can enroll again', async (t) => {
  const { app, logIn, enroll, makeDevice, isOpen } = await setUp(t)
  const { authority } = await makeCa(app)
  const remove = async (path: string) => assert.equal(summarize(await app.admin('DELETE', path)), '200')
  for (const pathOf of [
    async (id: string) => `${AUTHENTICATORS}/${(await identityOf(app, id)).authenticators.cert.id}`,
    async (id: string) => `${IDENTITIES}/${id}`,
  ]) {
    const device = await makeDevice(authority)
    const session = (await logIn(device)).json.data.token
    assert.ok(await isOpen(session))
    await remove(await pathOf(device.identityId))
    assert.ok(!(await isOpen(session)))
    assert.equal(await reasonOf(app, await logIn(device)), 'certificate-unknown')
    assert.equal(summarize(await enroll(device)), '200')
    assert.notEqual((await logIn(device)).json.data.identityId, device.identityId)
  }
})

test('W-89 events name the CA of a login and of a refusal, and no session token', async (t) => {
  const { app, logIn, makeDevice } = await setUp(t)
  const { id, authority } = await makeCa(app, { name: 'Corp' })
  const device = await makeDevice(authority)
  const { token } = (await logIn(device)).json.data
  assert.equal((await logIn(issueLeaf(authority))).status, 401)
  const authentications = app.events('authentication').filter(({ type }) => type === 'cert')
  assert.deepEqual(authentications.map(({ event_type, ca_id, reason }) => [event_type, ca_id, reason]).slice(-2), [
    ['success', id, ''],
    ['fail', id, 'certificate-unknown'],
  ])
  assert.equal(summarize(await app.admin('DELETE', `${CAS}/${id}`)), '200')
  const changes = app.events('entityChange').filter(({ entityType }) => entityType === 'cas')
  assert.deepEqual(
    changes.map(({ eventType }) => eventType),
    ['created', 'updated', 'deleted'],
  )
  const enrolled = app.events('entityChange').find(({ finalState }) => finalState?.id === device.identityId)
  assert.deepEqual(enrolled.metadata.author, { type: 'unattributed' })
  const [created] = changes
  assert.deepEqual([created.finalState.name, created.finalState.certPem], ['Corp', authority.pem])
  assert.ok(app.events('apiSession').length > 0)
  for (const namespace of ['apiSession', 'authentication', 'entityChange']) {
    assert.ok(!JSON.stringify(app.events(namespace)).includes(token), namespace)
  }
})

test('W-90 a session ends with what it rests on: the CA, its switch, its claim, and the external id', async (t) => {
  const { app, logIn, makeDevice, isOpen } = await setUp(t)
  const { id, authority } = await makeCa(app)
  const device = await makeDevice(authority)
  const open = async (keys: TestLeaf) => {
    const reply = await logIn(keys)
    assert.equal(reply.status, 200, reply.text)
    assert.ok(await isOpen(reply.json.data.token))
    return reply.json.data.token as string
  }
  const change = async (method: string, path: string, body?: object) => {
    assert.equal(summarize(await app.admin(method, path, body)), '200')
  }
  const byCertificate = await open(device)
  await change('PATCH', `${CAS}/${id}`, { name: 'renamed', identityRoles: ['x'], isAutoCaEnrollmentEnabled: false })
  assert.ok(await isOpen(byCertificate), 'other members do not matter')
  await change('PATCH', `${CAS}/${id}`, { isAuthEnabled: false })
  assert.ok(!(await isOpen(byCertificate)))
  await change('PATCH', `${CAS}/${id}`, { isAuthEnabled: true })
  assert.ok(!(await isOpen(byCertificate)), 'it has ended for good')

  const again = await open(device)
  await change('PATCH', `${CAS}/${id}`, { externalIdClaim: CLAIM })
  assert.ok(!(await isOpen(again)), 'a claim that was added')
  const alice = await createIdentity(app, { externalId: 'alice' })
  const leaf = issueLeaf(authority, { commonName: 'alice' })
  const named = await open(leaf)
  await change('PATCH', `${IDENTITIES}/${alice}`, { externalId: 'alicia' })
  assert.ok(!(await isOpen(named)))
  assert.equal((await logIn(leaf)).status, 401)
  await change('PATCH', `${IDENTITIES}/${alice}`, { externalId: 'alice' })

  const last = await open(leaf)
  const { certPem, name } = await caOf(app, id)
  await change('DELETE', `${CAS}/${id}`)
  assert.ok(!(await isOpen(last)))
  assert.equal((await logIn(device)).status, 401)
  await makeCa(app, { authority, name, certPem })
  assert.equal((await logIn(device)).status, 200, 'the same certificate, registered again')
})

test('W-91 D55 an untrusted CA logs in and enrolls no identity with rights, until an administrator trusts it', async (t) => {
  const { app, logIn, isOpen } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['ca'] })
  const { id, authority } = await makeCa(app, { session, externalIdClaim: CLAIM })
  assert.equal((await caOf(app, id)).trust.state, 'untrusted')
  await createIdentity(app, { externalId: 'plain' })
  await createIdentity(app, { externalId: 'admin', isAdmin: true })
  await createIdentity(app, { externalId: 'holder', permissions: ['identity.read'] })
  const attempt = (commonName: string) => logIn(issueLeaf(authority, { commonName }))
  assert.equal((await attempt('plain')).status, 200)
  for (const name of ['admin', 'holder']) assert.equal(await reasonOf(app, await attempt(name)), 'ca-not-trusted')
  assert.equal(summarize(await app.call('POST', `${CAS}/${id}/trust`, undefined, { session })), '401 UNAUTHORIZED')
  assert.equal(summarize(await app.admin('POST', `${CAS}/${id}/trust`)), '200')
  const admin = await attempt('admin')
  assert.equal(admin.status, 200)

  const patch = (body: object, by = session) => app.call('PATCH', `${CAS}/${id}`, body, { session: by })
  assert.equal(summarize(await patch({ name: 'renamed', tags: { a: 'b' } })), '200')
  assert.ok(await isOpen(admin.json.data.token), 'name and tags do not matter')
  assert.equal(summarize(await patch({ identityRoles: ['x'] })), '200')
  assert.ok(!(await isOpen(admin.json.data.token)), 'a session of an administrator is refused without the trust')
  assert.equal(await reasonOf(app, await attempt('admin')), 'ca-not-trusted')
  assert.equal(summarize(await patch({ identityRoles: ['y'] }, app.adminSession)), '200')
  assert.ok(await isOpen(admin.json.data.token), 'it works again with the trust')
  assert.equal((await attempt('admin')).status, 200)

  assert.equal(summarize(await patch({ isAuthEnabled: false }, app.adminSession)), '200')
  assert.equal(summarize(await patch({ isAuthEnabled: true })), '401 UNAUTHORIZED', 'only administrators use it again')
  assert.equal(summarize(await patch({ isAuthEnabled: true }, app.adminSession)), '200')
})

test('W-91 D55 an identity that an untrusted CA has enrolled logs in no more once it has rights', async (t) => {
  const { app, makeDevice, logIn, isOpen } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['ca'] })
  const { id, authority } = await makeCa(app, { session })
  const device = await makeDevice(authority)
  const opened = (await logIn(device)).json.data.token
  assert.ok(await isOpen(opened))
  for (const rights of [{ permissions: ['identity.read'] }, { isAdmin: true }]) {
    assert.equal(summarize(await app.admin('PATCH', `${IDENTITIES}/${device.identityId}`, rights)), '200')
    assert.ok(!(await isOpen(opened)), JSON.stringify(rights))
    assert.equal(await reasonOf(app, await logIn(device)), 'ca-not-trusted')
  }
  assert.equal(summarize(await app.admin('POST', `${CAS}/${id}/trust`)), '200')
  assert.equal((await logIn(device)).status, 200)
})

test('W-91 D55 registering the CA of administrators again, or verifying it, does not make it trusted', async (t) => {
  const { app, logIn } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['ca'] })
  const { id, authority } = await makeCa(app, { externalIdClaim: CLAIM })
  await createIdentity(app, { externalId: 'root', isAdmin: true })
  const attempt = () => logIn(issueLeaf(authority, { commonName: 'root' }))
  assert.equal((await attempt()).status, 200)
  assert.equal(summarize(await app.call('DELETE', `${CAS}/${id}`, undefined, { session })), '200')
  assert.equal((await attempt()).status, 401)
  const again = await makeCa(app, { authority, externalIdClaim: CLAIM, session, isVerified: false })
  assert.equal(summarize(await verify(app, again)), '200', 'by the administrator')
  assert.equal(await reasonOf(app, await attempt()), 'ca-not-trusted')
  assert.equal(summarize(await app.admin('PATCH', `${CAS}/${again.id}`, { name: 'reviewed' })), '200')
  assert.equal(await reasonOf(app, await attempt()), 'ca-not-trusted', 'a name is no security member')
  assert.equal(summarize(await app.admin('PATCH', `${CAS}/${again.id}`, { externalIdClaim: CLAIM })), '200')
  assert.equal((await attempt()).status, 200)
})

test('W-91 D55 a PUT that renames a CA and has its claim in another order changes nothing else; a real change makes it trusted', async (t) => {
  const { app, logIn, isOpen } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['ca'] })
  const { id, authority } = await makeCa(app, { session, externalIdClaim: CLAIM })
  await createIdentity(app, { externalId: 'plain' })
  await createIdentity(app, { externalId: 'root', isAdmin: true })
  const attempt = (commonName: string) => logIn(issueLeaf(authority, { commonName }))
  const opened = (await attempt('plain')).json.data.token
  const { trust, ...whole } = await caOf(app, id)
  const externalIdClaim = Object.fromEntries(Object.entries(CLAIM).toReversed())
  const put = (members: object) => app.admin('PUT', `${CAS}/${id}`, { ...whole, externalIdClaim, ...members })
  assert.equal(summarize(await put({ name: 'renamed' })), '200')
  assert.deepEqual((await caOf(app, id)).trust, trust)
  assert.equal(await reasonOf(app, await attempt('root')), 'ca-not-trusted')
  assert.ok(await isOpen(opened), 'the claim is the same: sessions stay')

  assert.equal(summarize(await put({ identityRoles: ['reviewed'] })), '200')
  assert.equal((await attempt('root')).status, 200)
})
