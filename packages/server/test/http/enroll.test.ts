import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { makeTestCsr } from '@countersign/testkit'
import { createPolicy } from './auth-policies.fixture.ts'
import type { TestApp } from './build-app.ts'
import {
  createEnrolling,
  createEnrollingPassword,
  ENROLL,
  ENROLLMENTS,
  enrollWithCsr,
  enrollWithPassword,
  inAnHour,
  tokenOf,
} from './enrollments.fixture.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import {
  AUTHENTICATORS,
  createIdentity,
  createPassword,
  IDENTITIES,
  identityOf,
  OWN_IDENTITY,
} from './identities.fixture.ts'

const INVALID = '400 INVALID_ENROLLMENT_TOKEN'
const OTHER_METHOD = '400 INVALID_ENROLL_METHOD method'
const LOG_IN = '/edge/client/v1/authenticate?method=password'

/** Lists the authenticators and pending enrollments of an identity. */
async function credentialsOf(app: TestApp, id: string) {
  const { authenticators, enrollment } = await identityOf(app, id)
  return { has: Object.keys(authenticators), pending: Object.keys(enrollment) }
}

testWithApp('enrollment with a one-time token and a certificate request', async (t, app) => {
  await t.test('W-71 every form of the call returns a certificate, the CA and the controllers, once', async () => {
    const forms: readonly ((token: string, csr: string) => ReturnType<TestApp['call']>)[] = [
      (token, csr) => enrollWithCsr(app, token, csr),
      (token, csr) => enrollWithCsr(app, token, csr, { headers: { 'content-type': 'application/pkcs7' } }),
      (token, csr) => enrollWithCsr(app, token, csr, { headers: { 'content-type': 'text/plain; charset=UTF-8' } }),
      (token, csr) => enrollWithCsr(app, token, csr, { headers: { accept: 'text/html, application/json' } }),
      (token, csr) => app.call('POST', `${ENROLL}?method=ott&token=${token}`, { clientCsr: csr }),
      (token, csr) => app.call('POST', `${ENROLL}?token=${token}`, { clientCsr: csr }),
      (token, csr) => app.call('POST', `${ENROLL}/ott`, { token, clientCsr: csr }),
      (token, csr) => app.call('POST', `/enroll?token=${token}`, { clientCsr: csr }),
    ]
    for (const form of forms) {
      const { identityId, token } = await createEnrolling(app)
      const csr = makeTestCsr()
      const reply = await form(token, csr.pem)
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.headers['content-type'], 'application/json')
      assert.equal(reply.headers['cache-control'], 'no-store')
      assert.deepEqual(Object.keys(reply.json.data).toSorted(), ['ca', 'cert', 'controllers'])
      const { cert, ca, controllers } = reply.json.data
      const leaf = new X509Certificate(cert)
      assert.ok(leaf.publicKey.equals(csr.publicKey))
      assert.equal(leaf.subject, `CN=${identityId}`)
      const chain = cert.split(/(?<=-----END CERTIFICATE-----\n)/).map((pem: string) => new X509Certificate(pem))
      assert.equal(chain.length, 2, 'the leaf and the intermediate, no root')
      assert.ok(leaf.verify(chain[1].publicKey))
      assert.ok(ca.includes('BEGIN CERTIFICATE'))
      assert.deepEqual(
        controllers.map(({ apiAddresses }: { apiAddresses: unknown }) => apiAddresses),
        [
          {
            'edge-client': [{ url: 'https://127.0.0.1:1280/edge/client/v1', version: 'v1' }],
            'edge-oidc': [{ url: 'https://127.0.0.1:1280/oidc', version: 'v1' }],
          },
        ],
      )
      const { authenticators, enrollment } = await identityOf(app, identityId)
      const fingerprint = leaf.fingerprint.replaceAll(':', '').toLowerCase()
      assert.deepEqual([authenticators.cert.fingerprint, enrollment], [fingerprint, {}])
      assert.equal(summarize(await form(token, makeTestCsr().pem)), INVALID, 'the token is used up')
    }
  })

  await t.test('the token stays usable after a bad request, and is checked before the request is read', async () => {
    const { identityId, token } = await createEnrolling(app)
    const bad: readonly (readonly [string, string])[] = [
      ['', '400 COULD_NOT_PROCESS_CSR'],
      ['x', '400 COULD_NOT_PROCESS_CSR'],
      [makeTestCsr({ signedBy: makeTestCsr().privateKey }).pem, '400 COULD_NOT_PROCESS_CSR'],
      [makeTestCsr().pem + makeTestCsr().pem, '400 COULD_NOT_PROCESS_CSR'],
    ]
    for (const [csr, expected] of bad) {
      assert.equal(summarize(await enrollWithCsr(app, token, csr)), expected)
      assert.equal(summarize(await app.call('POST', `${ENROLL}/ott`, { token, clientCsr: csr })), expected)
      assert.equal(summarize(await enrollWithCsr(app, 'another-token', csr)), INVALID)
    }
    assert.equal(summarize(await app.call('POST', `${ENROLL}/ott`, { token })), '400 COULD_NOT_PROCESS_CSR')
    assert.equal(summarize(await enrollWithCsr(app, token, 'x'.repeat(17_000))), '413 REQUEST_ENTITY_TOO_LARGE')
    assert.deepEqual(await credentialsOf(app, identityId), { has: [], pending: ['ott'] })
    assert.equal(summarize(await enrollWithCsr(app, token, makeTestCsr().pem)), '200')
  })

  await t.test('J-09 D51 a key in use by another identity is refused, and the token stays usable', async () => {
    const csr = makeTestCsr()
    const first = await createEnrolling(app)
    const second = await createEnrolling(app)
    assert.equal(summarize(await enrollWithCsr(app, first.token, csr.pem)), '200')
    assert.equal(summarize(await enrollWithCsr(app, second.token, csr.pem)), '409 CERT_IN_USE certPem')
    assert.deepEqual(await credentialsOf(app, second.identityId), { has: [], pending: ['ott'] })
    assert.equal(summarize(await enrollWithCsr(app, second.token, makeTestCsr().pem)), '200')
  })

  await t.test('D51 an identity enrolls again with its own key', async () => {
    const csr = makeTestCsr()
    const { identityId, token } = await createEnrolling(app)
    assert.equal(summarize(await enrollWithCsr(app, token, csr.pem)), '200')
    const { authenticators } = await identityOf(app, identityId)
    const path = `${AUTHENTICATORS}/${authenticators.cert.id}/re-enroll`
    const again = await app.admin('POST', path, { expiresAt: inAnHour(app) })
    assert.equal(again.status, 201, again.text)
    assert.equal(summarize(await enrollWithCsr(app, await tokenOf(app, again.json.data.id), csr.pem)), '200')
  })

  await t.test('D36 no response and no log line repeats the token or the request', async () => {
    const { token } = await createEnrolling(app)
    const csr = makeTestCsr({ signedBy: makeTestCsr().privateKey })
    const replies = [
      await enrollWithCsr(app, token, csr.pem),
      await enrollWithCsr(app, `${token}x`, csr.pem),
      await app.call('POST', `${ENROLL}/ott`, { token: token.repeat(10), clientCsr: csr.pem }),
    ]
    const body = csr.pem.split('\n')[1] ?? ''
    for (const { text } of replies) assert.ok(!text.includes(token) && !text.includes(body), text)
    const log = app.logged.join()
    assert.ok(!log.includes(token) && !log.includes(body))
  })
})

testWithApp('enrollment with a one-time token and a password', async (t, app) => {
  await t.test('W-71 returns the user name and the controllers, and then the password logs in', async () => {
    for (const path of [`${ENROLL}/updb?`, `${ENROLL}?method=updb&`]) {
      const { identityId, token, username } = await createEnrollingPassword(app)
      const password = 'a-good-password'
      const reply = await app.call('POST', `${path}token=${token}`, { username: 'another-name', password })
      assert.equal(reply.status, 200, reply.text)
      assert.equal(reply.headers['content-type'], 'application/json')
      const { controllers, ...data } = reply.json.data
      assert.deepEqual([data, controllers.length], [{ username }, 1], 'the user name of the enrollment wins')
      assert.equal(summarize(await app.call('POST', LOG_IN, { username, password })), '200')
      assert.deepEqual(await credentialsOf(app, identityId), { has: ['updb'], pending: [] })
      assert.equal(summarize(await enrollWithPassword(app, token, password)), INVALID)
    }
  })

  await t.test(
    'the rules of the identity’s policy apply, and the token stays usable after a bad password',
    async () => {
      const updb = { allowed: true, minPasswordLength: 12, requireNumberChar: true }
      const { token } = await createEnrollingPassword(app, { authPolicyId: await createPolicy(app, { updb }) })
      for (const password of ['short', 'long enough but no digit']) {
        const reply = await enrollWithPassword(app, token, password)
        assert.equal(summarize(reply), '400 COULD_NOT_VALIDATE password')
        assert.ok(!reply.text.includes(password), 'D36')
      }
      assert.equal(summarize(await enrollWithPassword(app, token, '')), '400 COULD_NOT_VALIDATE password')
      assert.equal(summarize(await enrollWithPassword(app, token, 'long enough with 1 digit')), '200')
    },
  )

  await t.test('N-15 the user name of an open enrollment cannot be taken', async () => {
    const { token, username } = await createEnrollingPassword(app)
    const identityId = await createIdentity(app)
    const create = (name: string) =>
      app.admin('POST', AUTHENTICATORS, { method: 'updb', identityId, username: name, password: 'secret' })
    assert.equal(summarize(await create(username)), '400 COULD_NOT_VALIDATE username')
    const made = await create(`${username}-2`)
    assert.equal(summarize(made), '201')
    const own = await app.logIn(`${username}-2`, 'secret')
    const { id } = made.json.data
    const ownPath = `${OWN_IDENTITY}/authenticators/${id}`
    const renames = [
      (name: string) => app.admin('PATCH', `${AUTHENTICATORS}/${id}`, { username: name }),
      (name: string) => app.call('PATCH', ownPath, { username: name, currentPassword: 'secret' }, { session: own }),
    ]
    for (const [index, rename] of renames.entries()) {
      assert.equal(summarize(await rename(username)), '400 COULD_NOT_VALIDATE username')
      assert.equal(summarize(await rename(`${username}-free-${index}`)), '200')
    }
    assert.equal(summarize(await enrollWithPassword(app, token, 'a-password')), '200')
    await app.logIn(username, 'a-password')
    const waiting = await createEnrollingPassword(app)
    await createPassword(app, waiting.identityId, { username: waiting.username })
  })

  await t.test('W-76 a method that is not that of the token is refused before its body is looked at', async () => {
    const identity = await createIdentity(app, { enrollment: { ott: true } })
    const { token } = (await identityOf(app, identity)).enrollment.ott
    const other = await app.call('POST', `${ENROLL}?method=updb&token=${token}`, {})
    assert.equal(summarize(other), OTHER_METHOD)
  })

  await t.test('W-76 without a method, that of the token counts', async () => {
    const { identityId, token } = await createEnrollingPassword(app)
    assert.equal(summarize(await app.call('POST', `${ENROLL}?method=ott&token=${token}`, {})), OTHER_METHOD)
    assert.deepEqual(await credentialsOf(app, identityId), { has: [], pending: ['updb'] })
    assert.equal(summarize(await app.call('POST', `${ENROLL}?token=${token}`, { password: 'a-password' })), '200')
    assert.deepEqual(await credentialsOf(app, identityId), { has: ['updb'], pending: [] })
  })

  await t.test('an existing password changes nothing', async () => {
    const other = await createEnrollingPassword(app)
    await createPassword(app, other.identityId)
    const reply = await enrollWithPassword(app, other.token, 'a-password')
    assert.equal(summarize(reply), '409 MAX_AUTHENTICATOR_METHODS_REACHED method')
    assert.deepEqual(await credentialsOf(app, other.identityId), { has: ['updb'], pending: ['updb'] })
  })
})

testWithApp('enrollment is refused for', async (t, app) => {
  /** Both kinds, each with the call that redeems its token. */
  const kinds = [
    {
      make: createEnrolling,
      trade: (token: string) => enrollWithCsr(app, token, makeTestCsr().pem),
    },
    {
      make: createEnrollingPassword,
      trade: (token: string) => enrollWithPassword(app, token, 'a-good-password'),
    },
  ]

  await t.test('an unknown, empty or missing token', async () => {
    for (const { make, trade } of kinds) {
      const { token } = await make(app)
      for (const wrong of ['', 'no-such-token', token.slice(1), `${token}=`, 'x'.repeat(5_000)]) {
        assert.equal(summarize(await trade(wrong)), INVALID)
      }
      assert.equal(summarize(await trade(token)), '200')
    }
    assert.equal(summarize(await app.call('POST', ENROLL)), INVALID)
    assert.equal(summarize(await app.call('POST', `${ENROLL}/ott`, {})), INVALID)
  })

  await t.test('D-09 a session token, an enrollment JWT, and a token of the other method', async () => {
    const ott = await createEnrolling(app)
    const updb = await createEnrollingPassword(app)
    for (const wrong of [app.adminSession, ott.jwt, updb.jwt]) {
      assert.equal(summarize(await enrollWithCsr(app, wrong, makeTestCsr().pem)), INVALID)
      assert.equal(summarize(await enrollWithPassword(app, wrong, 'a-good-password')), INVALID)
    }
    assert.equal(summarize(await enrollWithCsr(app, updb.token, makeTestCsr().pem)), OTHER_METHOD)
    assert.equal(summarize(await enrollWithPassword(app, ott.token, 'a-good-password')), OTHER_METHOD)
    for (const session of [ott.token, ott.jwt, updb.token]) {
      assert.equal(summarize(await app.call('GET', IDENTITIES, undefined, { session })), '401 UNAUTHORIZED')
    }
    const bearer = { headers: { authorization: `Bearer ${ott.jwt}` } }
    const login = await app.call('POST', '/edge/client/v1/authenticate?method=ext-jwt', undefined, bearer)
    assert.equal(summarize(login), '401 UNAUTHORIZED')
    assert.equal(summarize(await enrollWithCsr(app, ott.token, makeTestCsr().pem)), '200')
    assert.equal(summarize(await enrollWithPassword(app, updb.token, 'a-good-password')), '200')
  })

  await t.test('the token of a disabled identity, until it is enabled', async () => {
    for (const { make, trade } of kinds) {
      const { identityId, token } = await make(app)
      await app.admin('POST', `${IDENTITIES}/${identityId}/disable`, { durationMinutes: 0 })
      assert.equal(summarize(await trade(token)), INVALID)
      assert.deepEqual((await credentialsOf(app, identityId)).has, [])
      await app.admin('POST', `${IDENTITIES}/${identityId}/enable`)
      assert.equal(summarize(await trade(token)), '200')
    }
  })

  await t.test('a token whose enrollment or identity was deleted', async () => {
    for (const { make, trade } of kinds) {
      const [one, two, three] = [await make(app), await make(app), await make(app)]
      await app.admin('DELETE', `${ENROLLMENTS}/${one.id}`)
      await app.admin('DELETE', `${IDENTITIES}/${two.identityId}`)
      assert.equal(summarize(await trade(one.token)), INVALID)
      assert.equal(summarize(await trade(two.token)), INVALID)
      assert.equal(summarize(await trade(three.token)), '200')
    }
  })

  await t.test('an unknown enrollment method, or one that is not supported', async () => {
    for (const method of ['erott', 'OTT', 'bogus', '__proto__', 'constructor']) {
      assert.equal(summarize(await app.call('POST', `${ENROLL}?method=${method}`)), '400 INVALID_ENROLL_METHOD method')
    }
    for (const path of ['erott', 'extend/router', 'challenge']) {
      assert.equal(summarize(await app.call('POST', `${ENROLL}/${path}`, {})), '400 INVALID_ENROLL_METHOD method')
    }
  })

  await t.test('clients that do not accept JSON; the endpoints do not exist in the management API', async () => {
    const { token } = await createEnrolling(app)
    const { pem } = makeTestCsr()
    for (const accept of ['text/html', 'application/xml, text/*']) {
      const reply = await enrollWithCsr(app, token, pem, { headers: { accept } })
      assert.deepEqual([summarize(reply), reply.headers['content-type']], ['406 UNSUPPORTED_MEDIA', 'application/json'])
    }
    for (const type of ['application/octet-stream', 'text/html', 'text/plain; charset=utf-16']) {
      const reply = await enrollWithCsr(app, token, pem, { headers: { 'content-type': type } })
      assert.equal(summarize(reply), '415 COULD_NOT_VALIDATE Content-Type')
    }
    const managed = `/edge/management/v1/enroll?method=ott&token=${token}`
    assert.equal(summarize(await app.call('POST', managed, { clientCsr: pem })), '404 NOT_FOUND')
    assert.equal(summarize(await enrollWithCsr(app, token, pem, { headers: { accept: '*/*' } })), '200')
  })

  await t.test('an expired token', async () => {
    for (const { make, trade } of kinds) {
      const [early, late] = [await make(app), await make(app)]
      const expiresAt = new Date(app.clock.now() + 600_000).toISOString()
      for (const { id } of [early, late]) {
        assert.equal(summarize(await app.admin('POST', `${ENROLLMENTS}/${id}/refresh`, { expiresAt })), '200')
      }
      app.clock.advance(500_000)
      assert.equal(summarize(await trade(await tokenOf(app, early.id))), '200')
      app.clock.advance(100_000)
      assert.equal(summarize(await trade(await tokenOf(app, late.id))), '400 ENROLLMENT_EXPIRED')
      assert.deepEqual((await credentialsOf(app, late.identityId)).has, [])
    }
  })
})
