import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, type TestContext, test } from 'node:test'
import { formatPem } from '@countersign/core'
import { makeTestCsr, type TestKeyPair } from '@countersign/testkit'
import { getTestAuthority } from '../platform/keys/test-authority.ts'
import { createPolicy } from './auth-policies.fixture.ts'
import { buildApp, stopTestPostgres } from './build-app.ts'
import { type ClientKeys, LOG_IN, makeHolder, overTls, pemOfKey } from './client-certificates.fixture.ts'
import { outcome } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, createIdentity, createPassword, IDENTITIES, OWN_SESSION } from './identities.fixture.ts'

after(stopTestPostgres)

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
  /** A renewed certificate that is not yet verified, with its key. */
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

for (const database of ['sqlite', 'postgres'] as const) {
  test(`D38 the old certificate is good until the new one is verified, and then it is not, on ${database}`, async (t) => {
    const { app, holder, session, verify, logIn, renew } = await setUp(t, { database })
    const renewed = await renew()
    const authority = await getTestAuthority()
    const [leaf] = [new X509Certificate(renewed.cert)]
    assert.ok(leaf.verify(authority.issuer.facts.publicKey))
    assert.equal(
      renewed.cert.split('BEGIN CERTIFICATE').length - 1,
      2,
      'the leaf and what leads from there to the root',
    )
    assert.ok(renewed.cert.endsWith(formatPem('CERTIFICATE', authority.issuer.certificate)))
    assert.equal(renewed.ca, authority.caBundlePem)
    assert.equal(leaf.subject, new X509Certificate(holder.certPem).subject)

    assert.ok(await logIn(holder))
    assert.equal(await logIn(renewed), undefined)
    const verified = await verify(renewed.cert)
    assert.deepEqual([verified.status, verified.json.data], [200, {}])
    assert.equal(await logIn(holder), undefined)
    assert.ok(await logIn(renewed))
    assert.equal((await app.call('GET', OWN_SESSION, undefined, { session })).status, 200, 'the session goes on')
    assert.equal((await verify(renewed.cert)).status, 200, 'once more, since the first answer may have been lost')
    assert.ok(await logIn(renewed))

    const shown = (await app.admin('GET', `${AUTHENTICATORS}/${holder.authenticatorId}`)).json.data
    assert.equal(shown.fingerprint, leaf.fingerprint.replaceAll(':', '').toLowerCase())
    assert.equal(shown.certPem, renewed.cert)
  })
}

test('D38 only the connection of the present certificate renews it', async (t) => {
  const { app, call, holder, session, path, extend, verify, renew } = await setUp(t)
  const csr = makeTestCsr()
  const other = await makeHolder(app)
  const otherSession = (await call('POST', LOG_IN, other)).json.data.token as string
  assert.equal(outcome(await extend({}, csr)), '401 UNAUTHORIZED')
  assert.equal(outcome(await extend(other, csr)), '401 UNAUTHORIZED', 'somebody else’s certificate')
  assert.equal(outcome(await extend(holder, csr, otherSession)), '404 NOT_FOUND', 'somebody else’s session')
  assert.equal(
    outcome(await call('POST', `${path}/extend`, { ...holder, body: { clientCertCsr: csr.pem } })),
    '401 UNAUTHORIZED',
  )
  assert.equal(
    outcome(await call('POST', `${OWN}/none/extend`, { ...holder, session, body: { clientCertCsr: csr.pem } })),
    '404 NOT_FOUND',
  )
  assert.equal((await extend(holder, csr)).status, 200)

  const renewed = await renew()
  await verify(renewed.cert)
  assert.equal(outcome(await extend(holder, makeTestCsr())), '401 UNAUTHORIZED', 'the one that was replaced')
  assert.equal((await extend(renewed, makeTestCsr())).status, 200)
})

test('D38 extend-verify takes the certificate that was issued last and no other', async (t) => {
  const { app, call, holder, session, verify, logIn, renew } = await setUp(t)
  const other = await makeHolder(app)
  const nothing = await verify(other.certPem)
  assert.equal(outcome(nothing), '400 INVALID_CLIENT_CERT', 'nothing was asked for')
  const first = await renew()
  const second = await renew()
  for (const wrong of [other.certPem, holder.certPem, first.cert, 'nonsense', second.cert.slice(0, 200)]) {
    const reply = await verify(wrong)
    assert.equal(outcome(reply), '400 INVALID_CLIENT_CERT')
    assert.equal(reply.json.error.cause, undefined)
  }
  assert.ok(await logIn(holder), 'what fails changes nothing')
  const otherSession = (await call('POST', LOG_IN, other)).json.data.token as string
  const stolen = { session: otherSession, body: { clientCert: second.cert } }
  assert.equal(outcome(await call('POST', `${OWN}/${holder.authenticatorId}/extend-verify`, stolen)), '404 NOT_FOUND')
  assert.equal((await verify(second.cert)).status, 200)
  assert.deepEqual([await logIn(holder), await logIn(first)], [undefined, undefined])
  assert.ok(await logIn(second))
  assert.equal((await app.call('GET', OWN_SESSION, undefined, { session })).status, 200)
})

test('a renewed certificate may keep its key, unless an administrator asks for another', async (t) => {
  const { app, holder, session, verify, extend, logIn, renew, request } = await setUp(t)
  const sameKey = await renew(holder.keyPair)
  assert.equal((await verify(sameKey.cert)).status, 200)
  const current = { ...sameKey, key: holder.key }
  assert.ok(await logIn(current))

  assert.equal((await request({ rollKeys: true })).status, 200)
  const asked = (await app.call('GET', OWN_SESSION, undefined, { session })).json.data
  assert.deepEqual(
    [asked.isCertExtendable, asked.isCertExtendRequested, asked.isCertKeyRollRequested],
    [true, true, true],
  )
  const refused = await extend(current, makeTestCsr({ keyPair: holder.keyPair }))
  assert.equal(outcome(refused), '400 COULD_NOT_PROCESS_CSR')
  const rolled = await renew(undefined, current)
  assert.equal((await verify(rolled.cert)).status, 200)
  const done = (await app.call('GET', OWN_SESSION, undefined, { session })).json.data
  assert.ok(!('isCertExtendRequested' in done) && !('isCertKeyRollRequested' in done), 'what was asked for is done')
})

test('a key roll that is asked for while a renewal with the old key is under way is still to be done', async (t) => {
  const { app, holder, session, verify, renew, request } = await setUp(t)
  const sameKey = await renew(holder.keyPair)
  await request({ rollKeys: true })
  await verify(sameKey.cert)
  const { data } = (await app.call('GET', OWN_SESSION, undefined, { session })).json
  assert.equal(data.isCertKeyRollRequested, true)
})

test('J-09 a renewal takes nobody else’s key', async (t) => {
  const { app, holder, verify, extend, renew } = await setUp(t)
  const other = await makeHolder(app)
  assert.equal(outcome(await extend(holder, makeTestCsr({ keyPair: other.keyPair }))), '409 CERT_IN_USE')
  const late = makeTestCsr()
  const renewed = await renew(late)
  await makeHolder(app, { keyPair: late })
  assert.equal(outcome(await verify(renewed.cert)), '409 CERT_IN_USE certPem', 'taken while it was waiting')
})

test('D36 a request that is none is refused without a word of it', async (t) => {
  const { call, holder, path, session } = await setUp(t)
  const send = (body: object) => call('POST', `${path}/extend`, { ...holder, session, body })
  assert.equal(outcome(await send({})), '400 COULD_NOT_VALIDATE clientCertCsr')
  for (const clientCertCsr of ['sekret-text', `-----BEGIN CERTIFICATE REQUEST-----\nsekret\n`]) {
    const reply = await send({ clientCertCsr })
    assert.equal(outcome(reply), '400 COULD_NOT_PROCESS_CSR')
    assert.ok(!reply.text.includes('sekret'))
  }
  assert.equal(outcome(await send({ clientCertCsr: 'x'.repeat(17_000) })), '413 REQUEST_ENTITY_TOO_LARGE')
})

test('D38 expired is expired for renewal too, unless the policy allows it', async (t) => {
  const { app, call } = await setUp(t)
  const authPolicyId = await createPolicy(app, { cert: { allowExpiredCerts: true } })
  const forgiven = await makeHolder(app, { clientDays: 1, identity: { authPolicyId } })
  const strict = await makeHolder(app, { clientDays: 1 })
  const { password, username } = await createPassword(app, strict.id)
  app.clock.advance(2 * 24 * 60 * 60 * 1000)
  const renew = (holder: typeof strict, session: string) => {
    const body = { clientCertCsr: makeTestCsr().pem }
    return call('POST', `${OWN}/${holder.authenticatorId}/extend`, { ...holder, session, body })
  }
  const session = (await call('POST', LOG_IN, forgiven)).json.data.token as string
  assert.equal((await renew(forgiven, session)).status, 200)
  assert.equal(outcome(await renew(strict, await app.logIn(username, password))), '401 UNAUTHORIZED')
})

test('an administrator asks for a renewal of one certificate or of an identity’s, and the holder is told', async (t) => {
  const { app, call, holder, request } = await setUp(t)
  const told = async () => {
    const { headers, json } = await call('POST', LOG_IN, holder)
    const { isCertExtendRequested = null, isCertKeyRollRequested = null } = json.data
    return [isCertExtendRequested, isCertKeyRollRequested, headers['ziti-authenticator-extend-requested'] ?? null]
  }
  const shown = async () => (await app.admin('GET', `${AUTHENTICATORS}/${holder.authenticatorId}`)).json.data
  assert.deepEqual(await told(), [null, null, null])
  assert.equal((await request()).status, 200)
  assert.deepEqual(await told(), [true, null, 'true'])
  assert.equal((await shown()).isExtendRequested, true)
  assert.ok(!('isKeyRollRequested' in (await shown())))
  const ofIdentity = (id: string, body?: object) => app.admin('POST', `${IDENTITIES}/${id}/request-extend`, body)
  assert.equal((await ofIdentity(holder.id, { rollKeys: true })).status, 200)
  assert.deepEqual(await told(), [true, true, 'true'])
  assert.equal((await shown()).isKeyRollRequested, true)
  const asked = await app.admin('GET', `${AUTHENTICATORS}?filter=isKeyRollRequested`)
  assert.deepEqual(
    asked.json.data.map((row: { id: string }) => row.id),
    [holder.authenticatorId],
  )

  const plain = await createIdentity(app)
  const { id: passwordId } = await createPassword(app, plain)
  const request409 = '409 CAN_NOT_UPDATE_AUTHENTICATOR'
  assert.equal(outcome(await app.admin('POST', `${AUTHENTICATORS}/${passwordId}/request-extend`, {})), request409)
  assert.equal(outcome(await ofIdentity(plain)), request409)
  assert.equal(outcome(await ofIdentity('none')), '404 NOT_FOUND')
  assert.equal(outcome(await app.admin('POST', `${AUTHENTICATORS}/none/request-extend`, {})), '404 NOT_FOUND')
})

test('D35 only an administrator asks for the renewal of an administrator’s certificate', async (t) => {
  const { app } = await setUp(t)
  const boss = await makeHolder(app, { identity: { isAdmin: true } })
  const plain = await makeHolder(app)
  const { session } = await app.makeIdentity({ permissions: ['identity', 'authenticator'] })
  for (const [{ id, authenticatorId }, expected] of [
    [boss, '401 UNAUTHORIZED'],
    [plain, '200'],
  ] as const) {
    for (const path of [`${AUTHENTICATORS}/${authenticatorId}`, `${IDENTITIES}/${id}`]) {
      const reply = await app.call('POST', `${path}/request-extend`, {}, { session })
      assert.equal(outcome(reply), expected)
    }
  }
})
