import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { formatPem } from '@countersign/core'
import { makeTestCsr, type TestKeyPair } from '@countersign/testkit'
import { getTestAuthority } from '../platform/keys/test-authority.ts'
import { createPolicy } from './auth-policies.fixture.ts'
import { buildApp } from './build-app.ts'
import { type ClientKeys, LOG_IN, makeHolder, overTls, pemOfKey } from './client-certificates.fixture.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, createIdentity, createPassword, IDENTITIES, OWN_SESSION } from './identities.fixture.ts'

const OWN = '/edge/client/v1/current-identity/authenticators'

async function setUp(t: TestContext, options: Parameters<typeof buildApp>[1] = {}) {
  const app = await buildApp(t, options)
  const call = await overTls(app)
  const holder = await makeHolder(app)
  const logIn = async (keys: ClientKeys) => {
    const reply = await call('POST', LOG_IN, keys)
    return reply.status === 200 ? (reply.json.data.token as string) : undefined
  }
  const session = (await logIn(holder)) ?? assert.fail()
  const path = `${OWN}/${holder.authenticatorId}`
  const extend = (keys: Partial<ClientKeys>, csr: { pem: string }, as = session) =>
    call('POST', `${path}/extend`, { ...keys, session: as, body: { clientCertCsr: csr.pem } })
  const verify = (clientCert: string) => call('POST', `${path}/extend-verify`, { session, body: { clientCert } })
  /** Returns a renewed certificate, not yet verified, with its key. */
  const renew = async (keyPair?: TestKeyPair, by: ClientKeys = holder) => {
    const csr = makeTestCsr(keyPair && { keyPair })
    const reply = await extend(by, csr)
    assert.equal(reply.status, 200, reply.text)
    const { clientCert, ca } = reply.json.data as { clientCert: string; ca: string }
    return { cert: clientCert, ca, key: pemOfKey(csr) }
  }
  const request = (body?: object) =>
    app.admin('POST', `${AUTHENTICATORS}/${holder.authenticatorId}/request-extend`, body)
  return { app, call, holder, session, path, extend, verify, logIn, renew, request }
}

test('D38 the old certificate is valid until the new one is verified, and not after that', async (t) => {
  const { app, holder, session, verify, logIn, renew } = await setUp(t)
  const renewed = await renew()
  const authority = await getTestAuthority()
  const [leaf] = [new X509Certificate(renewed.cert)]
  assert.ok(leaf.verify(authority.issuer.facts.publicKey))
  assert.equal(renewed.cert.split('BEGIN CERTIFICATE').length - 1, 2, 'the leaf and the intermediate, without the root')
  assert.ok(renewed.cert.endsWith(formatPem('CERTIFICATE', authority.issuer.certificate)))
  assert.equal(renewed.ca, authority.caBundlePem)
  assert.equal(leaf.subject, new X509Certificate(holder.certPem).subject)

  assert.ok(await logIn(holder))
  assert.equal(await logIn(renewed), undefined)
  const verified = await verify(renewed.cert)
  assert.deepEqual([verified.status, verified.json.data], [200, {}])
  assert.equal(await logIn(holder), undefined)
  assert.ok(await logIn(renewed))
  assert.equal((await app.call('GET', OWN_SESSION, undefined, { session })).status, 200, 'the session continues')
  assert.equal((await verify(renewed.cert)).status, 200, 'repeatable, since the first response may have been lost')
  assert.ok(await logIn(renewed))

  const shown = (await app.admin('GET', `${AUTHENTICATORS}/${holder.authenticatorId}`)).json.data
  assert.equal(shown.fingerprint, leaf.fingerprint.replaceAll(':', '').toLowerCase())
  assert.equal(shown.certPem, renewed.cert)
})

test('identities are found by the expiry of their certificates, also after a renewal', async (t) => {
  const { app, holder, verify, renew } = await setUp(t)
  const short = await makeHolder(app, { clientDays: 10 })
  const without = await createIdentity(app)
  const found = async (filter: string) => {
    const query = new URLSearchParams({ filter: `(${filter}) and isAdmin = false` })
    const reply = await app.admin('GET', `${IDENTITIES}?${query}`)
    assert.equal(reply.status, 200, reply.text)
    return reply.json.data.map(({ id }: { id: string }) => id).toSorted()
  }
  const at = (days: number) => `datetime(${new Date(app.clock.now() + days * 86_400_000).toISOString()})`
  assert.deepEqual(await found(`certificateExpiresAt <= ${at(30)}`), [short.id])
  assert.deepEqual(await found(`certificateExpiresAt > ${at(30)}`), [holder.id])
  assert.deepEqual(await found('certificateExpiresAt = null'), [without])
  const sorted = await app.admin('GET', `${IDENTITIES}?${new URLSearchParams({ sort: 'certificateExpiresAt desc' })}`)
  assert.deepEqual(
    sorted.json.data.slice(0, 2).map(({ id }: { id: string }) => id),
    [holder.id, short.id],
  )
  const later = at(365 + 1 / 1440)
  app.clock.advance(120_000)
  const renewed = await renew()
  assert.deepEqual(await found(`certificateExpiresAt > ${later}`), [], 'before it is confirmed')
  assert.equal((await verify(renewed.cert)).status, 200)
  assert.deepEqual(await found(`certificateExpiresAt > ${later}`), [holder.id])
  const brief = await makeHolder(app, { clientDays: 5 / 1440 })
  assert.deepEqual(await found(`certificateExpiresAt <= ${at(1)}`), [brief.id])
  app.clock.advance(6 * 60_000)
  assert.deepEqual(await found(`certificateExpiresAt <= ${at(1)}`), [], 'an expired one does not expire again')
  assert.deepEqual(await found('anyOf(authenticators) = "cert" and certificateExpiresAt = null'), [brief.id])
})

test('D38 only a connection with the current certificate renews it', async (t) => {
  const { app, call, holder, session, path, extend, verify, renew } = await setUp(t)
  const csr = makeTestCsr()
  const other = await makeHolder(app)
  const otherSession = (await call('POST', LOG_IN, other)).json.data.token as string
  assert.equal(summarize(await extend({}, csr)), '401 UNAUTHORIZED')
  assert.equal(summarize(await extend(other, csr)), '401 UNAUTHORIZED', 'the certificate of another identity')
  assert.equal(summarize(await extend(holder, csr, otherSession)), '404 NOT_FOUND', 'the session of another identity')
  assert.equal(
    summarize(await call('POST', `${path}/extend`, { ...holder, body: { clientCertCsr: csr.pem } })),
    '401 UNAUTHORIZED',
  )
  assert.equal(
    summarize(await call('POST', `${OWN}/none/extend`, { ...holder, session, body: { clientCertCsr: csr.pem } })),
    '404 NOT_FOUND',
  )
  assert.equal((await extend(holder, csr)).status, 200)

  const renewed = await renew()
  await verify(renewed.cert)
  assert.equal(summarize(await extend(holder, makeTestCsr())), '401 UNAUTHORIZED', 'the certificate that was replaced')
  assert.equal((await extend(renewed, makeTestCsr())).status, 200)
})

test('D38 extend-verify accepts only the certificate that was issued last', async (t) => {
  const { app, call, holder, session, verify, logIn, renew } = await setUp(t)
  const other = await makeHolder(app)
  const nothing = await verify(other.certPem)
  assert.equal(summarize(nothing), '400 INVALID_CLIENT_CERT', 'no renewal is pending')
  const first = await renew()
  const second = await renew()
  for (const wrong of [other.certPem, holder.certPem, first.cert, 'nonsense', second.cert.slice(0, 200)]) {
    const reply = await verify(wrong)
    assert.equal(summarize(reply), '400 INVALID_CLIENT_CERT')
    assert.equal(reply.json.error.cause, undefined)
  }
  assert.ok(await logIn(holder), 'a failure changes nothing')
  const otherSession = (await call('POST', LOG_IN, other)).json.data.token as string
  const stolen = { session: otherSession, body: { clientCert: second.cert } }
  assert.equal(summarize(await call('POST', `${OWN}/${holder.authenticatorId}/extend-verify`, stolen)), '404 NOT_FOUND')
  assert.equal((await verify(second.cert)).status, 200)
  assert.deepEqual([await logIn(holder), await logIn(first)], [undefined, undefined])
  assert.ok(await logIn(second))
  assert.equal((await app.call('GET', OWN_SESSION, undefined, { session })).status, 200)
})

test('a renewed certificate may keep its key, unless an administrator requests a new one', async (t) => {
  const { app, holder, session, verify, extend, logIn, renew, request } = await setUp(t)
  const sameKey = await renew(holder.keyPair)
  assert.equal((await verify(sameKey.cert)).status, 200)
  const current = { ...sameKey, key: holder.key }
  assert.ok(await logIn(current))

  assert.equal((await request({ rollKeys: true })).status, 200)
  const requested = (await app.call('GET', OWN_SESSION, undefined, { session })).json.data
  assert.deepEqual(
    [requested.isCertExtendable, requested.isCertExtendRequested, requested.isCertKeyRollRequested],
    [true, true, true],
  )
  const refused = await extend(current, makeTestCsr({ keyPair: holder.keyPair }))
  assert.equal(summarize(refused), '400 COULD_NOT_PROCESS_CSR')
  const rolled = await renew(undefined, current)
  assert.equal((await verify(rolled.cert)).status, 200)
  const done = (await app.call('GET', OWN_SESSION, undefined, { session })).json.data
  assert.ok(!('isCertExtendRequested' in done) && !('isCertKeyRollRequested' in done), 'the request is cleared')
})

test('D54 a renewal with a new key ends the other sessions of the old key, and one with the same key ends none', async (t) => {
  const { app, holder, session, verify, logIn, renew } = await setUp(t)
  const isLive = async (token: string) =>
    (await app.call('GET', OWN_SESSION, undefined, { session: token })).status === 200
  const stolen = (await logIn(holder)) ?? assert.fail()
  const sameKey = await renew(holder.keyPair)
  assert.equal((await verify(sameKey.cert)).status, 200)
  assert.deepEqual([await isLive(session), await isLive(stolen)], [true, true])
  const newKey = await renew(undefined, { ...sameKey, key: holder.key })
  assert.equal((await verify(newKey.cert)).status, 200)
  assert.deepEqual([await isLive(session), await isLive(stolen)], [true, false])
  const next = (await logIn(newKey)) ?? assert.fail()
  assert.equal((await verify(newKey.cert)).status, 200, 'a repeated call')
  assert.ok(await isLive(next))
})

test('a key roll requested during a renewal with the old key stays pending', async (t) => {
  const { app, holder, session, verify, renew, request } = await setUp(t)
  const sameKey = await renew(holder.keyPair)
  await request({ rollKeys: true })
  await verify(sameKey.cert)
  const { data } = (await app.call('GET', OWN_SESSION, undefined, { session })).json
  assert.equal(data.isCertKeyRollRequested, true)
})

test('J-09 D51 a renewal cannot use the key of another identity', async (t) => {
  const { app, holder, verify, extend, renew } = await setUp(t)
  const other = await makeHolder(app)
  assert.equal(summarize(await extend(holder, makeTestCsr({ keyPair: other.keyPair }))), '409 CERT_IN_USE')
  const late = makeTestCsr()
  const renewed = await renew(late)
  await makeHolder(app, { keyPair: late })
  assert.equal(
    summarize(await verify(renewed.cert)),
    '409 CERT_IN_USE certPem',
    'recorded by another identity in the meantime',
  )
})

test('D36 a malformed request is refused without being repeated', async (t) => {
  const { call, holder, path, session } = await setUp(t)
  const send = (body: object) => call('POST', `${path}/extend`, { ...holder, session, body })
  assert.equal(summarize(await send({})), '400 COULD_NOT_VALIDATE clientCertCsr')
  for (const clientCertCsr of ['sekret-text', `-----BEGIN CERTIFICATE REQUEST-----\nsekret\n`]) {
    const reply = await send({ clientCertCsr })
    assert.equal(summarize(reply), '400 COULD_NOT_PROCESS_CSR')
    assert.ok(!reply.text.includes('sekret'))
  }
  assert.equal(summarize(await send({ clientCertCsr: 'x'.repeat(17_000) })), '413 REQUEST_ENTITY_TOO_LARGE')
})

test('D38 an expired certificate cannot be renewed, unless the policy allows it', async (t) => {
  const { app, call } = await setUp(t)
  const authPolicyId = await createPolicy(app, { cert: { allowExpiredCerts: true } })
  const allowed = await makeHolder(app, { clientDays: 1, identity: { authPolicyId } })
  const strict = await makeHolder(app, { clientDays: 1 })
  const { password, username } = await createPassword(app, strict.id)
  app.clock.advance(2 * 24 * 60 * 60 * 1000)
  const renew = (holder: typeof strict, session: string) => {
    const body = { clientCertCsr: makeTestCsr().pem }
    return call('POST', `${OWN}/${holder.authenticatorId}/extend`, { ...holder, session, body })
  }
  const session = (await call('POST', LOG_IN, allowed)).json.data.token as string
  assert.equal((await renew(allowed, session)).status, 200)
  assert.equal(summarize(await renew(strict, await app.logIn(username, password))), '401 UNAUTHORIZED')
})

test('an administrator requests the renewal of one certificate or of an identity’s, and the holder sees it at login', async (t) => {
  const { app, call, holder, request } = await setUp(t)
  const loginFlags = async () => {
    const { headers, json } = await call('POST', LOG_IN, holder)
    const { isCertExtendRequested = null, isCertKeyRollRequested = null } = json.data
    return [isCertExtendRequested, isCertKeyRollRequested, headers['ziti-authenticator-extend-requested'] ?? null]
  }
  const shown = async () => (await app.admin('GET', `${AUTHENTICATORS}/${holder.authenticatorId}`)).json.data
  assert.deepEqual(await loginFlags(), [null, null, null])
  assert.equal((await request()).status, 200)
  assert.deepEqual(await loginFlags(), [true, null, 'true'])
  assert.equal((await shown()).isExtendRequested, true)
  assert.ok(!('isKeyRollRequested' in (await shown())))
  const ofIdentity = (id: string, body?: object) => app.admin('POST', `${IDENTITIES}/${id}/request-extend`, body)
  assert.equal((await ofIdentity(holder.id, { rollKeys: true })).status, 200)
  assert.deepEqual(await loginFlags(), [true, true, 'true'])
  assert.equal((await shown()).isKeyRollRequested, true)
  const requested = await app.admin('GET', `${AUTHENTICATORS}?filter=isKeyRollRequested`)
  assert.deepEqual(
    requested.json.data.map((row: { id: string }) => row.id),
    [holder.authenticatorId],
  )

  const plain = await createIdentity(app)
  const { id: passwordId } = await createPassword(app, plain)
  const request409 = '409 CAN_NOT_UPDATE_AUTHENTICATOR'
  assert.equal(summarize(await app.admin('POST', `${AUTHENTICATORS}/${passwordId}/request-extend`, {})), request409)
  assert.equal(summarize(await ofIdentity(plain)), request409)
  assert.equal(summarize(await ofIdentity('none')), '404 NOT_FOUND')
  assert.equal(summarize(await app.admin('POST', `${AUTHENTICATORS}/none/request-extend`, {})), '404 NOT_FOUND')
})

test('D35 only an administrator requests the renewal of an administrator’s certificate', async (t) => {
  const { app } = await setUp(t)
  const administrator = await makeHolder(app, { identity: { isAdmin: true } })
  const plain = await makeHolder(app)
  const { session } = await app.makeIdentity({ permissions: ['identity'] })
  for (const [{ id, authenticatorId }, expected] of [
    [administrator, '401 UNAUTHORIZED'],
    [plain, '200'],
  ] as const) {
    for (const path of [`${AUTHENTICATORS}/${authenticatorId}`, `${IDENTITIES}/${id}`]) {
      const reply = await app.call('POST', `${path}/request-extend`, {}, { session })
      assert.equal(summarize(reply), expected)
    }
  }
})

for (const [who, hasKey, owner] of [
  ['a thief of a session without the certificate', false, '200'],
  ['a caller with session and certificate', true, '429 SERVER_TOO_MANY_REQUESTS'],
] as const) {
  test(`R-21 ${who} who renews again and again leaves the owner ${owner}`, async (t) => {
    const { holder, extend } = await setUp(t, { isAlone: 'controller' })
    const csr = makeTestCsr()
    const expected = hasKey ? '200' : '401 UNAUTHORIZED'
    for (let times = 0; times < 30; times++) {
      assert.equal(summarize(await extend(hasKey ? holder : {}, csr)), expected)
    }
    assert.equal(summarize(await extend(holder, csr)), owner)
  })
}

test('R-21 J-24 an identity renews its certificate 10 times an hour after a burst, so that the list of revoked ones stays short', async (t) => {
  const { app, call, holder, extend, logIn } = await setUp(t, { isAlone: 'controller' })
  const csr = makeTestCsr()
  for (let times = 0; times < 30; times++) assert.equal((await extend(holder, csr)).status, 200)
  const limited = await extend(holder, csr)
  assert.equal(summarize(limited), '429 SERVER_TOO_MANY_REQUESTS')
  assert.ok(Number(limited.headers['retry-after']) >= 1)

  const other = await makeHolder(app)
  const session = (await logIn(other)) ?? assert.fail()
  const body = { clientCertCsr: makeTestCsr().pem }
  assert.equal((await call('POST', `${OWN}/${other.authenticatorId}/extend`, { ...other, session, body })).status, 200)
  app.clock.advance(5 * 60_000)
  assert.equal(summarize(await extend(holder, csr)), '429 SERVER_TOO_MANY_REQUESTS')
  app.clock.advance(2 * 60_000)
  assert.equal((await extend(holder, csr)).status, 200)
})
