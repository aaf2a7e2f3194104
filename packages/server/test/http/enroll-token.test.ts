import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { describe, test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import { eventLines } from '../events/read-events.ts'
import { LOG_IN, overTls, pemOfKey } from './client-certificates.fixture.ts'
import {
  ENROLL_BY_METHOD,
  ENROLL_TOKEN,
  enroll,
  IDENTITIES,
  KINDS,
  POLICIES,
  refusal,
  setUpEnrollment,
} from './enroll-token.fixture.ts'
import { ALICE, AUDIENCE, decisionOf, logInWithToken, partsOf, SIGNERS } from './provider.fixture.ts'

describe('enrollment with a provider’s token', () => {
  test('W-65 D6 D25 S1-5.3.2 S1-1.6 to token use: the identity is as the signer says, and the same token logs in', async (t) => {
    const { app, token, enrollingSigner, enroll, identity } = await setUpEnrollment(t)
    await enrollingSigner()
    const reply = await enroll(token())
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.headers['content-type'], 'application/json')
    assert.deepEqual(Object.keys(reply.json), ['data', 'meta'])
    assert.deepEqual(Object.keys(reply.json.data), ['controllers', 'identityId'])
    assert.deepEqual(
      reply.json.data.controllers.map(({ apiAddresses }: { apiAddresses: unknown }) => apiAddresses),
      [
        {
          'edge-client': [{ url: 'https://127.0.0.1:1280/edge/client/v1', version: 'v1' }],
          'edge-oidc': [{ url: 'https://127.0.0.1:1280/oidc', version: 'v1' }],
        },
      ],
    )
    const { identityId } = reply.json.data
    const { name, externalId, roleAttributes, authPolicyId, typeId, isAdmin, permissions, authenticators } =
      await identity(identityId)
    assert.deepEqual(
      { name, externalId, roleAttributes, authPolicyId, typeId, isAdmin, authenticators },
      {
        name: ALICE,
        externalId: ALICE,
        roleAttributes: [],
        authPolicyId: 'default',
        typeId: 'Default',
        isAdmin: false,
        authenticators: {},
      },
    )
    assert.deepEqual(permissions ?? [], [])
    assert.equal((await logInWithToken(app, token())).json.data.identityId, identityId)
  })

  test('W-65 D24 S1-5.3.1 S1-4.3 to a certificate: it is recorded for the new identity, takes only the key from the CSR, and logs in', async (t) => {
    const { app, token, enrollingSigner, enroll, identity } = await setUpEnrollment(t)
    await enrollingSigner()
    const csr = makeTestCsr({ subject: { commonName: 'evil' } })
    const reply = await enroll(token(), { clientCsr: csr.pem })
    assert.equal(reply.status, 200, reply.text)
    assert.equal(reply.headers['content-type'], 'application/json')
    const { cert, ca, controllers, identityId, ...rest } = reply.json.data
    assert.deepEqual([rest, controllers.length], [{}, 1])
    const leaf = new X509Certificate(cert)
    assert.ok(leaf.checkPrivateKey(csr.privateKey))
    assert.equal(leaf.subject, `CN=${identityId}`)
    assert.match(leaf.subjectAltName ?? '', new RegExp(`^URI:spiffe://[^/]+/identity/${identityId}$`))
    assert.ok(ca.includes('-----BEGIN CERTIFICATE-----'))
    const { authenticators } = await identity(identityId)
    assert.equal(authenticators.cert.fingerprint, leaf.fingerprint.replaceAll(':', '').toLowerCase())
    const call = await overTls(app)
    const session = await call('POST', LOG_IN, { cert, key: pemOfKey(csr) })
    assert.equal(session.json.data.identityId, identityId, session.text)
  })

  test('W-68 S1-5.3.3 S1-2.3.name S1-2.3.attributes K-13 K-10 name, attributes and policy come from the selectors, letter by letter', async (t) => {
    const { app, token, enrollingSigner, enroll, identity } = await setUpEnrollment(t)
    const policy = (await app.admin('GET', `${POLICIES}/default`)).json.data
    const policyId = (await app.admin('POST', POLICIES, { ...policy, name: 'staff' })).json.data.id
    await enrollingSigner({
      enrollNameClaimsSelector: '/profile/name',
      enrollAttributeClaimsSelector: 'groups',
      enrollAuthPolicyId: policyId,
    })
    const names = ['../x', '<script>alert(1)</script>', "Robert'); drop table identities; --", '=cmd()', ' Zoë ']
    for (const [index, name] of names.entries()) {
      const groups = index === 0 ? 'sales' : ['sales', '', 'sales', ' spaced ', `g${index}`]
      const reply = await enroll(token({ sub: `user-${index}`, profile: { name }, groups }))
      assert.equal(reply.status, 200, reply.text)
      const made = await identity(reply.json.data.identityId)
      assert.equal(made.name, name)
      assert.deepEqual(made.roleAttributes, index === 0 ? ['sales'] : [' spaced ', `g${index}`, 'sales'])
      assert.equal(made.authPolicyId, policyId)
    }
  })

  test('D21 without useExternalId the claim becomes the id, or is refused with a hint', async (t) => {
    const { app, token, enrollingSigner, enroll, identity, state } = await setUpEnrollment(t)
    await enrollingSigner({ useExternalId: false })
    for (const body of [KINDS.token(), KINDS.cert()]) {
      const sub = `auth0|${Object.keys(body).length}`
      const reply = await enroll(token({ sub }), body)
      assert.equal(reply.json.data.identityId, sub, reply.text)
      assert.equal((await identity(encodeURIComponent(sub))).externalId, null)
      assert.equal((await logInWithToken(app, token({ sub }))).json.data.identityId, sub)
      assert.equal(refusal(await enroll(token({ sub }), body)), '409 ENROLLMENT_IDENTITY_ALREADY_ENROLLED')
    }
    const before = await state()
    const refused = await enroll(token({ sub: 'not an id' }))
    assert.equal(refusal(refused), '400 INVALID_ENROLLMENT_TOKEN')
    assert.match(refused.json.error.cause.message, /useExternalId/)
    assert.deepEqual(await state(), before)
  })

  test('W-66 C-15 L-11 S-03 a token enrolls once, and again only after its identity is deleted', async (t) => {
    const { app, token, enrollingSigner, enroll, state } = await setUpEnrollment(t)
    await enrollingSigner()
    const used = token({ jti: 'once' })
    for (const first of [KINDS.token(), KINDS.cert()]) {
      const { identityId } = (await enroll(used, first)).json.data
      const session = (await logInWithToken(app, used)).json.data.token
      const before = await state()
      for (const body of [KINDS.token(), KINDS.cert()]) {
        assert.equal(refusal(await enroll(used, body)), '409 ENROLLMENT_IDENTITY_ALREADY_ENROLLED')
        assert.equal(refusal(await enroll(token({ jti: 'other' }), body)), '409 ENROLLMENT_IDENTITY_ALREADY_ENROLLED')
      }
      assert.deepEqual(await state(), before)
      await app.admin('DELETE', `${IDENTITIES}/${identityId}`)
      const own = await app.call('GET', '/edge/client/v1/current-identity', undefined, { session })
      assert.equal(own.status, 401, 'the old session has ended')
      assert.equal((await app.admin('GET', '/edge/management/v1/authenticators')).json.data.length, 1)
    }
    assert.equal((await enroll(used)).status, 200)
  })

  test('K-10 K-13 an invalid name or attribute is refused with its field, and nothing is created', async (t) => {
    const { token, enrollingSigner, enroll, state } = await setUpEnrollment(t)
    await enrollingSigner({ enrollNameClaimsSelector: 'name', enrollAttributeClaimsSelector: 'groups' })
    assert.equal((await enroll(token({ name: 'Alice' }))).status, 200)
    const before = await state()
    const many = Array.from({ length: 101 }, (_, index) => `a${index}`)
    for (const body of [KINDS.token(), KINDS.cert()]) {
      const code = async (claims: object) => refusal(await enroll(token({ sub: 'bob', ...claims }), body))
      assert.equal(await code({ name: 'Alice' }), '400 COULD_NOT_VALIDATE name')
      assert.equal(await code({ name: 'a\r\nb' }), '400 COULD_NOT_VALIDATE name')
      assert.equal(await code({ name: '\u001b[31mred' }), '400 COULD_NOT_VALIDATE name')
      assert.equal(await code({ name: 'x'.repeat(257) }), '400 COULD_NOT_VALIDATE name')
      for (const groups of ['#admins', ['ok', '@id'], many, 'x'.repeat(129), 'a\u202eb']) {
        assert.equal(await code({ name: 'Bob', groups }), '400 COULD_NOT_VALIDATE roleAttributes')
      }
    }
    assert.deepEqual(await state(), before)
    assert.equal((await enroll(token({ sub: 'bob', name: 'Bob', groups: many.slice(0, 100) }))).status, 200)
  })

  test('J-09 D51 a key that has a certificate gets no second one', async (t) => {
    const { token, enrollingSigner, enroll, state } = await setUpEnrollment(t)
    await enrollingSigner()
    const { pem } = makeTestCsr()
    assert.equal((await enroll(token(), { clientCsr: pem })).status, 200)
    const before = await state()
    assert.equal(refusal(await enroll(token({ sub: 'bob' }), { clientCsr: pem })), '409 CERT_IN_USE certPem')
    assert.deepEqual(await state(), before)
    assert.equal((await enroll(token({ sub: 'bob' }), KINDS.cert())).status, 200)
  })
})

test('W-67 W-69 K-08 K-09 K-12 claims of the wrong type are refused, absent attributes are none', async (t) => {
  const { token, enrollingSigner, enroll, identity, state } = await setUpEnrollment(t)
  await enrollingSigner({ enrollNameClaimsSelector: '/name', enrollAttributeClaimsSelector: '/groups' })
  const before = await state()
  for (const claims of [
    ...[5, {}, ['a', 1], [['a']], true].map((groups) => ({ name: 'Alice', groups })),
    ...[undefined, null, 5, ['Alice'], '', ' '].map((name) => ({ name })),
    ...[undefined, null, 5, ['alice'], '', ' '].map((sub) => ({ name: 'Alice', sub })),
  ]) {
    for (const body of [KINDS.token(), KINDS.cert()]) {
      assert.equal(refusal(await enroll(token(claims), body)), '400 INVALID_ENROLLMENT_TOKEN', JSON.stringify(claims))
    }
  }
  assert.deepEqual(await state(), before)
  for (const [index, groups] of [undefined, null, '', []].entries()) {
    const reply = await enroll(token({ sub: `s${index}`, name: `n${index}`, groups }))
    assert.deepEqual((await identity(reply.json.data.identityId)).roleAttributes, [], reply.text)
  }
})

test('W-70 J-14 D29 an enrollment that the signer or the policy does not allow is refused before the CSR is read', async (t) => {
  const { app, token, enrollingSigner, enroll, state } = await setUpEnrollment(t)
  const signerId = await enrollingSigner()
  const set = async (path: string, members: object) => {
    assert.equal((await app.admin('PATCH', path, members)).status, 200)
  }
  const notAllowed = '409 INVALID_ENROLLMENT_NOT_ALLOWED'
  const bodies = { token: {}, cert: KINDS.cert(), junk: { clientCsr: 'no CSR at all' } }
  const codes = async () => {
    const before = await state()
    const seen = []
    for (const body of Object.values(bodies)) {
      const reply = await enroll(token(), body)
      seen.push(reply.status === 200 ? 200 : refusal(reply))
      if (reply.status === 200) await app.admin('DELETE', `${IDENTITIES}/${reply.json.data.identityId}`)
    }
    if (!seen.includes(200)) assert.deepEqual(await state(), before)
    return seen
  }
  const signer = `${SIGNERS}/${signerId}`
  assert.deepEqual(await codes(), [200, 200, '400 COULD_NOT_PROCESS_CSR'])
  await set(signer, { enrollToCertEnabled: false })
  assert.deepEqual(await codes(), [200, notAllowed, notAllowed])
  await set(signer, { enrollToCertEnabled: true, enrollToTokenEnabled: false })
  assert.deepEqual(await codes(), [notAllowed, 200, '400 COULD_NOT_PROCESS_CSR'])
  await set(signer, { enrollToTokenEnabled: true })

  const policy = `${POLICIES}/default`
  const other = (await app.admin('POST', SIGNERS, { ...OTHER_SIGNER })).json.data.id
  await set(policy, { primary: { extJwt: { allowedSigners: [other] } } })
  assert.deepEqual(
    await codes(),
    [notAllowed, 200, '400 COULD_NOT_PROCESS_CSR'],
    'allowed signers do not matter for certificates',
  )
  await set(policy, { primary: { extJwt: { allowedSigners: [other, signerId] } } })
  assert.deepEqual(await codes(), [200, 200, '400 COULD_NOT_PROCESS_CSR'])
  await set(policy, { primary: { extJwt: { allowed: false } } })
  assert.deepEqual(await codes(), [notAllowed, 200, '400 COULD_NOT_PROCESS_CSR'])
  const { warnings } = (await app.admin('GET', signer)).json.data.keyStatus
  assert.match(warnings.join(), /external jwt authentication on auth policy is disabled/)
  await set(policy, { primary: { extJwt: { allowed: true }, cert: { allowed: false } } })
  assert.deepEqual(await codes(), [200, notAllowed, notAllowed])
})

test('D-17 a token that is too weak or too old for the policy enrolls to nothing, and gets the challenge of a login', async (t) => {
  const { app, token, enrollingSigner, enroll, state, explain } = await setUpEnrollment(t)
  await enrollingSigner()
  const now = Math.floor(app.clock.now() / 1000)
  const required = { requireAcr: ['gold'], requireAmr: ['otp'], maxAuthAgeSeconds: 300 }
  await app.admin('PATCH', `${POLICIES}/default`, { primary: { extJwt: required } })
  const strong = { acr: 'gold', amr: ['pwd', 'otp'], auth_time: now - 60 }
  const cases = {
    'acr-insufficient': { acr: 'silver' },
    'amr-insufficient': { amr: ['pwd'] },
    'authentication-too-old': { auth_time: now - 301 },
  }
  const before = await state()
  for (const [reason, claims] of Object.entries(cases)) {
    const weak = token({ ...strong, ...claims })
    for (const body of [KINDS.token(), KINDS.cert()]) {
      const reply = await enroll(weak, body)
      assert.equal(refusal(reply), '401 UNAUTHORIZED', reason)
      const challenge = /^Bearer error="insufficient_user_authentication", .*acr_values="gold", max_age="300"$/
      assert.match(reply.headers['www-authenticate'] ?? '', challenge)
      const decision = await decisionOf(app, reply.json.error.requestId)
      assert.equal(decision.reason, reason)
      assert.match(decision.missing.join(), /^a login at the identity provider/)
    }
    assert.match((await explain(weak, 'enroll')).missing.join(), /^a login at the identity provider/)
  }
  assert.deepEqual(await state(), before)
  assert.deepEqual((await explain(token(strong), 'enroll')).missing, [])
  for (const [sub, body] of Object.entries(KINDS)) {
    const reply = await enroll(token({ ...strong, sub }), body())
    assert.equal(reply.status, 200, reply.text)
  }
})

const OTHER_SIGNER = {
  name: 'other',
  enabled: true,
  issuer: 'https://other.example',
  audience: 'a',
  jwksEndpoint: 'https://other.example/jwks',
}

test('J-13 a CSR of the wrong type is refused; an absent, null or empty one means token use', async (t) => {
  const { app, token, enrollingSigner, state } = await setUpEnrollment(t)
  await enrollingSigner()
  const before = await state()
  const headers = () => ({ authorization: `Bearer ${token()}` })
  for (const path of [ENROLL_TOKEN, ENROLL_BY_METHOD]) {
    const codeOf = async (clientCsr: unknown) =>
      refusal(await enroll(app, { tokens: [token()], body: { clientCsr }, path }))
    for (const csr of [[], ['x'], 5, true, {}]) assert.equal(await codeOf(csr), '400 MISSING_OR_INVALID_CSR')
    for (const csr of [' ', 'x', makeTestCsr().pem.slice(1)])
      assert.equal(await codeOf(csr), '400 COULD_NOT_PROCESS_CSR')
    assert.notEqual(
      (await enroll(app, { tokens: [token()], body: { clientCsr: 'x'.repeat(16_385) }, path })).status,
      200,
    )
    assert.equal(await codeOf('x'.repeat(1024 * 1024)), '413 REQUEST_ENTITY_TOO_LARGE')
    for (const type of ['application/json', 'application/x-pem-file']) {
      const empty = await app.call('POST', path, undefined, { headers: { ...headers(), 'content-type': type } })
      assert.equal(refusal(empty), '400 COULD_NOT_VALIDATE tokenEnrollmentRequest', 'a missing body is refused')
    }
  }
  const raw = { headers: { ...headers(), 'content-type': 'application/x-pem-file' }, raw: makeTestCsr().pem }
  assert.equal((await app.call('POST', ENROLL_TOKEN, undefined, raw)).status, 415)
  assert.deepEqual(await state(), before)
  for (const [index, path] of [ENROLL_TOKEN, ENROLL_BY_METHOD].entries()) {
    for (const [row, body] of [{}, { clientCsr: null }, { clientCsr: '' }].entries()) {
      const reply = await enroll(app, { tokens: [token({ sub: `s${index}${row}` })], body, path })
      assert.deepEqual([reply.status, reply.json.data.cert], [200, undefined], reply.text)
    }
  }
  assert.ok(
    (await app.call('POST', ENROLL_BY_METHOD, undefined, raw)).json.data.cert,
    'raw, as existing clients send it',
  )
})

test('a client that does not accept JSON is enrolled, and gets JSON', async (t) => {
  const { app, token, enrollingSigner } = await setUpEnrollment(t)
  await enrollingSigner()
  const headers = { authorization: `Bearer ${token()}`, accept: 'text/html' }
  const reply = await app.call('POST', ENROLL_TOKEN, {}, { headers })
  assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'application/json'], reply.text)
})

test('J-22 members of the body other than the CSR do not affect the identity', async (t) => {
  const { token, enrollingSigner, enroll, identity } = await setUpEnrollment(t)
  await enrollingSigner({ enrollAttributeClaimsSelector: 'groups' })
  const forged = {
    id: 'forged',
    name: 'forged',
    externalId: 'forged',
    sub: 'forged',
    roleAttributes: ['admins'],
    attributes: ['admins'],
    authPolicyId: 'forged',
    isAdmin: true,
    permissions: ['identity'],
    token: 'forged',
  }
  const reply = await enroll(token({ isAdmin: true, permissions: ['identity'], id: 'forged' }), forged)
  assert.equal(reply.status, 200, reply.text)
  const made = await identity(reply.json.data.identityId)
  assert.deepEqual(
    [made.name, made.externalId, made.roleAttributes, made.authPolicyId, made.isAdmin],
    [ALICE, ALICE, [], 'default', false],
  )
  assert.notEqual(made.id, 'forged')
})

test('K-11 log and events name signer, claim and values, and contain nothing of the token', async (t) => {
  const { app, token, enrollingSigner, enroll } = await setUpEnrollment(t)
  const signerId = await enrollingSigner({ enrollAttributeClaimsSelector: '/groups' })
  const used = token({ groups: ['admins', 'sales'] })
  const { identityId } = (await enroll(used)).json.data
  const lines = app.logged.map((line) => JSON.parse(line)).filter(({ enrollment }) => enrollment)
  assert.deepEqual(
    lines.map(({ enrollment }) => enrollment),
    [
      {
        namespace: 'enrollment',
        type: 'token',
        external_jwt_signer_id: signerId,
        remote_address: lines[0]?.enrollment.remote_address,
        request_id: lines[0]?.enrollment.request_id,
        event_type: 'success',
        success: true,
        reason: '',
        identity_id: identityId,
        identity_name: ALICE,
        auth_policy_id: 'default',
        name_claims_selector: '/sub',
        attribute_claims_selector: '/groups',
        attributes: ['admins', 'sales'],
      },
    ],
  )
  const published = eventLines(app.published).filter((line) => line.includes('"namespace":"enrollment"'))
  assert.equal(published.length, 1)
  assert.ok(published[0]?.includes('"attributes":["admins","sales"]') && published[0].includes(signerId))
  for (const part of partsOf(used)) {
    assert.ok(![...app.logged, ...published].some((line) => line.includes(part)))
  }
})

test('D18 every refusal is a decision under its request id, with what was missing, and an event', async (t) => {
  const { app, token, enrollingSigner, enroll: enrollWith, explain } = await setUpEnrollment(t)
  const signerId = await enrollingSigner({ enrollToCertEnabled: false, enrollNameClaimsSelector: 'name' })
  const decisionOn = async (reply: ReturnType<typeof enrollWith>) => {
    return decisionOf(app, (await reply).json.error.requestId)
  }
  const off = await decisionOn(enrollWith(token({ name: 'Alice' }), KINDS.cert()))
  assert.deepEqual([off.method, off.reason, off.signerId], ['enroll', 'enrollment-off', signerId])
  assert.match(off.missing.join(), /does not enroll to a certificate: set enrollToCertEnabled/)
  const { identityId } = (await enrollWith(token({ name: 'Alice' }))).json.data
  const again = await decisionOn(enrollWith(token({ name: 'Alice' })))
  assert.deepEqual([again.reason, again.identityId], ['already-enrolled', identityId])
  const taken = await decisionOn(enrollWith(token({ sub: 'bob', name: 'Alice' })))
  assert.equal(taken.reason, 'identity-refused')
  assert.match(taken.missing.join(), /another name: an identity named "Alice"/)
  const nameless = await decisionOn(enrollWith(token({ sub: 'bob' })))
  assert.equal(nameless.reason, 'claim-unusable')
  assert.match(nameless.missing.join(), /a name: the token has no string at "name"/)
  const wrong = await decisionOn(enrollWith(token({ aud: 'elsewhere' })))
  assert.equal(wrong.reason, 'audience-mismatch')
  const nothing = await decisionOn(enroll(app, {}))
  assert.deepEqual([nothing.reason, nothing.missing], ['token-missing', ['a token']])
  const unknown = await decisionOn(enrollWith(token({ name: 'Bob' }), {}, ['unknown']))
  assert.equal(unknown.reason, 'signer-unknown')
  assert.match(unknown.missing.join(), /ziti-token-issuer-id/)
  await enrollingSigner({ name: 'other', audience: 'other' })
  const both = token({ name: 'Bob', sub: 'bob', aud: [AUDIENCE, 'other'] })
  const ambiguous = await decisionOn(enrollWith(both))
  assert.deepEqual([ambiguous.reason, ambiguous.missing.length], ['signer-ambiguous', 1])
  assert.match(ambiguous.missing[0], /ziti-token-issuer-id/)
  assert.deepEqual((await explain(both, 'enroll')).missing, ambiguous.missing)
  const published = app.events('enrollment').filter((event) => event.event_type === 'fail')
  assert.deepEqual(
    published.map(({ reason, type }) => `${type}: ${reason}`),
    [
      'cert: enrollment-off',
      'token: already-enrolled',
      'token: identity-refused',
      'token: claim-unusable',
      'token: audience-mismatch',
      'token: token-missing',
      'token: signer-unknown',
      'token: signer-ambiguous',
    ],
  )
})

test('the endpoints do not exist in the management API', async (t) => {
  const { app, token, enrollingSigner } = await setUpEnrollment(t)
  await enrollingSigner()
  for (const path of [ENROLL_TOKEN, ENROLL_BY_METHOD]) {
    const managed = path.replace('client', 'management')
    assert.equal((await enroll(app, { tokens: [token()], path: managed })).status, 404)
  }
})
