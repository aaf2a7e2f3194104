import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { buildExtension, der, OID, readLeafDigests } from '@countersign/core'
import { makeTestCertificate, mintKeyFrom, mintToken, type TestCertificateOptions } from '@countersign/testkit'
import { createCertificateAuthenticator } from '../../src/operations/authenticator/create-authenticator.ts'
import { createTestAuthority, getTestAuthority } from '../platform/keys/test-authority.ts'
import { createPolicy, POLICIES } from './auth-policies.fixture.ts'
import { ADMIN_PASSWORD, buildApp, type TestApp } from './build-app.ts'
import {
  intermediatePem,
  issueTo,
  LOG_IN,
  makeHolder,
  overTls,
  pemOfKey,
  type TlsReply,
} from './client-certificates.fixture.ts'
import { SIGNERS, summarize } from './ext-jwt-signers.fixture.ts'
import { AUTHENTICATORS, createIdentity, IDENTITIES, OWN_IDENTITY, OWN_SESSION } from './identities.fixture.ts'
import { DECISIONS, storeDecisions } from './provider.fixture.ts'

const DAY_MS = 24 * 60 * 60 * 1000

async function setUp(t: TestContext, options: Parameters<typeof buildApp>[1] = {}) {
  const app = await buildApp(t, options)
  return { app, call: await overTls(app) }
}

/** Returns the reason that administrators find under the request id of a refusal. The caller gets none. */
async function reasonOf(app: TestApp, reply: TlsReply): Promise<string> {
  assert.equal(summarize(reply), '401 INVALID_AUTH', reply.text)
  const { error } = reply.json
  assert.deepEqual([error.cause, reply.headers['www-authenticate']], [undefined, undefined])
  const session = await app.logIn('admin', ADMIN_PASSWORD)
  await storeDecisions(app, session)
  const decision = await app.call('GET', `${DECISIONS}/${error.requestId}`, undefined, { session })
  assert.equal(decision.status, 200, decision.text)
  assert.equal(decision.json.data.method, 'cert')
  assert.equal(decision.json.data.missing.length, 1)
  return decision.json.data.reason
}

/** A certificate signed by the controller's CA that it would never issue. */
async function signUnusual(options: TestCertificateOptions) {
  const { issuer, intermediateKey } = await getTestAuthority()
  const { publicKey, name: subject } = issuer.facts
  const by = { publicKey, privateKey: intermediateKey, pem: '', der: issuer.certificate, subject }
  const made = makeTestCertificate({ kind: 'ec256', issuer: by, ...options })
  return { ...made, cert: made.pem, key: pemOfKey(made) }
}

const CLIENT_AUTH = buildExtension(OID.extendedKeyUsage, der.sequence(der.oid(OID.clientAuth)))

test('D26 a certificate opens a session on both APIs, with a body and without', async (t) => {
  const { app, call } = await setUp(t)
  const holder = await makeHolder(app)
  for (const api of ['client', 'management']) {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      for (const body of [undefined, {}, { configTypes: ['all'], envInfo: { os: 'linux' } }]) {
        const path = `/edge/${api}/v1/authenticate?method=cert`
        const reply = await call('POST', path, { ...holder, version, ...(body && { body }) })
        assert.equal(reply.status, 200, reply.text)
        const { data } = reply.json
        assert.equal(data.token, reply.headers['zt-session'])
        assert.deepEqual(
          [data.identityId, data.authenticatorId, data.isCertExtendable, data.authQueries],
          [holder.id, holder.authenticatorId, true, []],
        )
        for (const absent of ['isCertExtendRequested', 'isCertKeyRollRequested', 'improperClientCertChain']) {
          assert.ok(!(absent in data), absent)
        }
      }
    }
  }
  const listed = await app.admin('GET', `/edge/management/v1/api-sessions?filter=identity="${holder.id}"`)
  assert.equal(
    listed.json.data.every((row: { isCertExtendable: boolean }) => row.isCertExtendable),
    true,
  )
})

test('a missing, unrecorded or foreign certificate is refused, and all refusals look alike', async (t) => {
  const { app, call } = await setUp(t)
  const holder = await makeHolder(app)
  const logIn = (keys: { cert?: string; key?: string }) => call('POST', LOG_IN, keys)
  assert.equal(await reasonOf(app, await logIn({})), 'certificate-missing')
  const foreign = makeTestCertificate({ kind: 'ec256', extensions: [CLIENT_AUTH] })
  assert.equal(await reasonOf(app, await logIn({ cert: foreign.pem, key: pemOfKey(foreign) })), 'certificate-foreign')
  assert.equal((await logIn(holder)).status, 200)
  const [one, two] = [await logIn({}), await logIn({ cert: foreign.pem, key: pemOfKey(foreign) })]
  const withoutRequestId = ({ json: { error, meta } }: TlsReply) => ({ ...error, requestId: '', meta })
  assert.deepEqual(withoutRequestId(one), withoutRequestId(two))
})

test('J-17 an issued certificate that is not recorded does not log in', async (t) => {
  const { app, call } = await setUp(t)
  const id = await createIdentity(app)
  const issued = await issueTo(app, id)
  assert.equal(await reasonOf(app, await call('POST', LOG_IN, issued)), 'certificate-unknown')
  await app.admin('POST', AUTHENTICATORS, { method: 'cert', identityId: id, certPem: issued.certPem })
  assert.equal((await call('POST', LOG_IN, issued)).status, 200)
})

test('J-20 the leaf alone determines the identity, whatever certificates follow it', async (t) => {
  const { app, call } = await setUp(t)
  const [alice, bob] = [await makeHolder(app), await makeHolder(app)]
  const ca = await intermediatePem()
  const foreign = makeTestCertificate({ kind: 'ec256', commonName: 'foreign', extensions: [CLIENT_AUTH] })
  const identityOfLogin = async (cert: string, key: string) =>
    (await call('POST', LOG_IN, { cert, key })).json.data?.identityId
  for (const filler of [
    bob.certPem,
    foreign.pem,
    ca + bob.certPem,
    bob.certPem + ca,
    alice.certPem,
    bob.certPem.repeat(8),
  ]) {
    assert.equal(await identityOfLogin(alice.certPem + filler, alice.key), alice.id)
    assert.equal(await identityOfLogin(foreign.pem + filler, pemOfKey(foreign)), undefined)
  }
  const behind = await call('POST', LOG_IN, { cert: foreign.pem + alice.certPem + ca, key: pemOfKey(foreign) })
  assert.equal(await reasonOf(app, behind), 'certificate-foreign')
  await assert.rejects(
    call('POST', LOG_IN, { cert: bob.certPem + alice.certPem, key: alice.key }),
    'a key that does not match the leaf',
  )
})

test('J-21 a certificate with the contents of a real one, signed by another CA, is refused', async (t) => {
  const { app, call } = await setUp(t)
  const holder = await makeHolder(app)
  const authority = await getTestAuthority()
  // Another CA of the same name: its certificate differs only in the signature.
  const twin = await createTestAuthority()
  assert.ok(twin.issuer.facts.name.equals(authority.issuer.facts.name))
  const forged = await issueTo(app, holder.id, { authority: twin, keyPair: holder.keyPair })
  const forgedOwnKey = await issueTo(app, holder.id, { authority: twin })
  for (const keys of [forged, forgedOwnKey, { ...forged, cert: forged.certPem + holder.certPem }]) {
    assert.equal(await reasonOf(app, await call('POST', LOG_IN, keys)), 'certificate-foreign')
  }
  const selfSigned = makeTestCertificate({ commonName: holder.id, extensions: [CLIENT_AUTH], kind: 'ec256' })
  const keys = { cert: selfSigned.pem, key: pemOfKey(selfSigned) }
  assert.equal(await reasonOf(app, await call('POST', LOG_IN, keys)), 'certificate-foreign')
  assert.equal((await call('POST', LOG_IN, holder)).status, 200)
})

test('J-23 a certificate that is not for clients, or is a CA, does not log in even when recorded', async (t) => {
  const { app, call } = await setUp(t)
  const usage = (...ids: string[]) =>
    buildExtension(OID.extendedKeyUsage, der.sequence(...ids.map((id) => der.oid(id))))
  const isCa = buildExtension(OID.basicConstraints, der.sequence(der.boolean(true)), true)
  const cases: readonly [string, readonly Buffer[], string][] = [
    ['no usage at all', [], 'certificate-not-for-clients'],
    ['an empty usage', [usage()], 'certificate-not-for-clients'],
    ['for servers', [usage(OID.serverAuth)], 'certificate-not-for-clients'],
    ['a CA', [CLIENT_AUTH, isCa], 'certificate-not-for-clients'],
    [
      'usage that is no list',
      [buildExtension(OID.extendedKeyUsage, der.sequence(der.integer(1)))],
      'certificate-malformed',
    ],
    ['for clients', [CLIENT_AUTH], ''],
    ['for clients among others', [usage(OID.serverAuth, OID.clientAuth)], ''],
  ]
  for (const [what, extensions, reason] of cases) {
    const made = await signUnusual({ extensions: [...extensions] })
    const identityId = await createIdentity(app)
    const record = { id: identityId, identityId, certPem: made.pem, ...readLeafDigests(made.pem) }
    await app.store.run(createCertificateAuthenticator, record, { actorId: 'system', now: app.clock.now() })
    const reply = await call('POST', LOG_IN, made)
    if (reason === '') assert.equal(reply.status, 200, what)
    else assert.equal(await reasonOf(app, reply), reason, what)
  }
  assert.equal((await app.call('GET', '/edge/client/v1/version')).status, 200)
})

test('D31 the validity period counts, unless the policy allows expired certificates', async (t) => {
  const { app, call } = await setUp(t)
  const lenient = await createPolicy(app, { cert: { allowExpiredCerts: true } })
  const strict = await makeHolder(app, { clientDays: 1 })
  const allowed = await makeHolder(app, { clientDays: 1, identity: { authPolicyId: lenient } })
  const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
  assert.equal(policy.primary.cert.allowExpiredCerts, false)
  for (const keys of [strict, allowed]) assert.equal((await call('POST', LOG_IN, keys)).status, 200)
  app.clock.advance(2 * DAY_MS)
  assert.equal(await reasonOf(app, await call('POST', LOG_IN, strict)), 'certificate-expired')
  assert.equal((await call('POST', LOG_IN, allowed)).status, 200)
  app.clock.advance(-4 * DAY_MS)
  for (const keys of [strict, allowed]) {
    assert.equal(await reasonOf(app, await call('POST', LOG_IN, keys)), 'certificate-not-yet-valid')
  }
})

test('J-18 the certificate of a disabled or deleted identity, or of a deleted authenticator, is refused, and its sessions end', async (t) => {
  const { app, call } = await setUp(t)
  const logIn = async (keys: { cert: string; key: string }) =>
    (await call('POST', LOG_IN, keys)).json.data.token as string
  const isAlive = async (session: string) =>
    (await app.call('GET', OWN_IDENTITY, undefined, { session })).status === 200

  const disabled = await makeHolder(app)
  const first = await logIn(disabled)
  assert.ok(await isAlive(first))
  await app.admin('POST', `${IDENTITIES}/${disabled.id}/disable`, { durationMinutes: 0 })
  assert.equal(await reasonOf(app, await call('POST', LOG_IN, disabled)), 'disabled')
  await app.admin('POST', `${IDENTITIES}/${disabled.id}/enable`)
  assert.ok(await isAlive(await logIn(disabled)))
  assert.ok(!(await isAlive(first)))

  const deleted = await makeHolder(app)
  const second = await logIn(deleted)
  await app.admin('DELETE', `${IDENTITIES}/${deleted.id}`)
  assert.equal(await reasonOf(app, await call('POST', LOG_IN, deleted)), 'certificate-unknown')
  assert.ok(!(await isAlive(second)))

  const without = await makeHolder(app)
  const third = await logIn(without)
  await app.admin('DELETE', `${AUTHENTICATORS}/${without.authenticatorId}`)
  assert.equal(await reasonOf(app, await call('POST', LOG_IN, without)), 'certificate-unknown')
  assert.ok(!(await isAlive(third)))
  const renewed = await issueTo(app, without.id)
  await app.admin('POST', AUTHENTICATORS, { method: 'cert', identityId: without.id, certPem: renewed.certPem })
  assert.ok(await isAlive(await logIn(renewed)))
  assert.equal(
    await reasonOf(app, await call('POST', LOG_IN, without)),
    'certificate-unknown',
    'the old certificate stays refused',
  )
})

test('D54 a removed certificate ends the sessions opened with it, except the one that removes it', async (t) => {
  const { app, call } = await setUp(t)
  const holder = await makeHolder(app, { identity: { permissions: ['identity'] } })
  const other = await makeHolder(app)
  const logIn = async (keys: { cert: string; key: string }) =>
    (await call('POST', LOG_IN, keys)).json.data.token as string
  const [removing, elsewhere, bystander] = [await logIn(holder), await logIn(holder), await logIn(other)]
  const path = `${AUTHENTICATORS}/${holder.authenticatorId}`
  assert.equal(summarize(await app.call('DELETE', path, undefined, { session: removing })), '200')
  const seen = async (session: string) => summarize(await app.call('GET', OWN_SESSION, undefined, { session }))
  assert.deepEqual(
    [await seen(removing), await seen(elsewhere), await seen(bystander)],
    ['200', '401 UNAUTHORIZED', '200'],
  )
  assert.equal(summarize(await call('POST', LOG_IN, holder)), '401 INVALID_AUTH')
})

test('W-54 D23 a policy that forbids certificates refuses the next login and the next call of an open session', async (t) => {
  const { app, call } = await setUp(t)
  const authPolicyId = await createPolicy(app)
  const holder = await makeHolder(app, { identity: { authPolicyId } })
  const { token: session } = (await call('POST', LOG_IN, holder)).json.data
  assert.equal((await app.call('GET', OWN_IDENTITY, undefined, { session })).status, 200)
  const allow = (allowed: boolean) =>
    app.admin('PATCH', `${POLICIES}/${authPolicyId}`, { primary: { cert: { allowed } } })
  await allow(false)
  assert.equal((await app.call('GET', OWN_IDENTITY, undefined, { session })).status, 401)
  assert.equal(await reasonOf(app, await call('POST', LOG_IN, holder)), 'not-allowed')
  await allow(true)
  assert.equal((await app.call('GET', OWN_IDENTITY, undefined, { session })).status, 200)
})

test('I-10 a session is valid on every connection: without a certificate, with another, with junk after the leaf', async (t) => {
  const { app, call } = await setUp(t)
  const [alice, bob] = [await makeHolder(app), await makeHolder(app)]
  const { token: session } = (await call('POST', LOG_IN, alice)).json.data
  const junk = makeTestCertificate({ kind: 'ec256' }).pem
  for (const keys of [{}, alice, bob, { ...bob, cert: bob.certPem + junk.repeat(10) }]) {
    const reply = await call('GET', OWN_IDENTITY, { ...keys, session })
    assert.equal(reply.json.data.id, alice.id)
    assert.equal((await call('GET', OWN_IDENTITY, keys)).status, 401, 'a certificate alone is no session')
  }
})

for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
  test(`I-14 a resumed connection is checked again: the CA, the record and the identity count as they are now, over ${version}`, async (t) => {
    const authority = await getTestAuthority()
    let keys = authority
    const { app, call } = await setUp(t, { keys: () => keys })
    const holder = await makeHolder(app)
    const first = await call('POST', LOG_IN, { ...holder, version })
    assert.equal(first.status, 200)
    const resume = first.tlsSession ?? assert.fail('the server offers no resumption')
    const again = () => call('POST', LOG_IN, { ...holder, version, resume })

    const resumed = await again()
    assert.deepEqual([resumed.isResumed, resumed.status], [true, 200])
    assert.ok(
      !('improperClientCertChain' in resumed.json.data),
      'the rest of the chain is unknown on a resumed connection',
    )
    // Another CA that has issued nothing yet.
    keys = await createTestAuthority()
    const removed = await again()
    assert.equal(removed.isResumed, true)
    assert.equal(await reasonOf(app, removed), 'certificate-foreign')
    keys = authority
    assert.equal((await again()).status, 200)
    await app.admin('DELETE', `${AUTHENTICATORS}/${holder.authenticatorId}`)
    const gone = await again()
    assert.equal(gone.isResumed, true)
    assert.equal(await reasonOf(app, gone), 'certificate-unknown')
  })
}

test('a leaf without its intermediate logs in, and the session and the authenticator say so', async (t) => {
  const { app, call } = await setUp(t)
  const holder = await makeHolder(app)
  const shown = async () => (await app.admin('GET', `${AUTHENTICATORS}/${holder.authenticatorId}`)).json.data
  assert.ok(!('lastAuthResolvedToRoot' in (await shown())), 'not set before the first login')
  const alone = await call('POST', LOG_IN, { ...holder, cert: holder.certPem })
  assert.equal(alone.json.data.improperClientCertChain, true)
  assert.equal((await shown()).lastAuthResolvedToRoot, false)
  const junk = makeTestCertificate({ kind: 'ec256' }).pem
  const { data } = (await call('POST', LOG_IN, { ...holder, cert: holder.certPem + junk })).json
  assert.equal(data.improperClientCertChain, true)
  const own = await app.call('GET', OWN_SESSION, undefined, { session: data.token })
  assert.equal(own.json.data.improperClientCertChain, true)
  const whole = await call('POST', LOG_IN, holder)
  assert.ok(!('improperClientCertChain' in whole.json.data))
  assert.equal((await shown()).lastAuthResolvedToRoot, true)
})

test('W-16 W-17 W-60 W-61 E-03 a certificate login asks for a second factor, and accepts it in the same request', async (t) => {
  const { app, call } = await setUp(t)
  const signer = makeTestCertificate({ kind: 'ec256', commonName: 'second' })
  const other = makeTestCertificate({ kind: 'ec256', commonName: 'other' })
  const made = await app.admin('POST', SIGNERS, {
    name: 'second',
    enabled: true,
    issuer: 'https://second.example',
    audience: 'second',
    kid: 'second',
    certPem: signer.pem,
    useExternalId: true,
    clientId: 'desktop',
    scopes: ['openid'],
    externalAuthUrl: 'https://second.example/go',
  })
  const signerId = made.json.data.id
  const authPolicyId = await createPolicy(app, { secondary: { requireExtJwtSigner: signerId } })
  const holder = await makeHolder(app, { identity: { authPolicyId, externalId: 'alice' } })
  await makeHolder(app, { identity: { authPolicyId, externalId: 'bob' } })
  const exp = Math.floor(app.clock.now() / 1000) + 600
  const token = (claims: Record<string, unknown> = {}, by = signer) =>
    mintToken({
      key: mintKeyFrom(by.privateKey, 'P-256', 'second'),
      claims: { iss: 'https://second.example', aud: 'second', sub: 'alice', exp, ...claims },
    })
  const logIn = async (bearer?: string) => {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }
    const reply = await call('POST', LOG_IN, { ...holder, headers })
    assert.equal(reply.status, 200, reply.text)
    return reply
  }
  const query = {
    typeId: 'EXT-JWT',
    provider: 'url',
    httpUrl: 'https://second.example/go',
    id: signerId,
    clientId: 'desktop',
    scopes: ['openid'],
  }
  const cases: readonly [string | undefined, string][] = [
    [undefined, 'missing'],
    [token({ exp: 1000 }), 'expired'],
    ['malformed', 'missing'],
    [token({}, other), 'invalid'],
  ]
  for (const [bearer, error] of cases) {
    const reply = await logIn(bearer)
    assert.deepEqual(reply.json.data.authQueries, [query], error)
    const challenge = reply.headers['www-authenticate'] ?? ''
    assert.ok(challenge.startsWith(`Bearer realm="openziti-secondary-ext-jwt" error="${error}" `), challenge)
    assert.ok(challenge.endsWith(` id="${signerId}" issuer="https://second.example"`), challenge)
    const { token: session } = reply.json.data
    assert.equal((await app.call('GET', OWN_IDENTITY, undefined, { session })).status, 401)
  }
  const bob = await logIn(token({ sub: 'bob' }))
  assert.equal(bob.json.data.authQueries.length, 1, 'E-01 the token of another identity')
  const whole = await logIn(token())
  assert.deepEqual([whole.json.data.authQueries, whole.headers['www-authenticate']], [[], undefined])
  const { token: session } = whole.json.data
  const headers = { authorization: `Bearer ${token()}` }
  assert.equal((await app.call('GET', OWN_IDENTITY, undefined, { session, headers })).status, 200)
})
