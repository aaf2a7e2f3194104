import assert from 'node:assert/strict'
import { makeTestCertificate } from '@countersign/testkit'
import {
  certBody,
  changed,
  create,
  detailOf,
  jwksBody,
  OLD_SIGNERS,
  SIGNERS,
  savedOf,
  summarize,
  testWithApp,
} from './ext-jwt-signers.fixture.ts'

/** A body with every member set. */
const everything = () =>
  jwksBody({
    kid: 'a kid',
    claimsProperty: '/email',
    useExternalId: true,
    externalAuthUrl: 'https://login.example/authorize',
    openIdConfigurationUrl: 'https://login.example/.well-known/openid-configuration',
    clientId: 'desktop',
    scopes: ['openid', 'email'],
    targetToken: 'ID',
    enrollToCertEnabled: true,
    enrollToTokenEnabled: true,
    enrollAttributeClaimsSelector: '/groups',
    enrollNameClaimsSelector: '/name',
    enrollAuthPolicyId: 'default',
    clockSkewSeconds: 10,
    maxTokenAgeSeconds: 600,
    requiredClaims: { hd: 'acme.example' },
    tags: { owner: 'iam' },
  })

testWithApp('changing signers', async (t, app) => {
  const put = (id: string, body: unknown) => app.admin('PUT', `${SIGNERS}/${id}`, body)
  const patch = (id: string, body: unknown) => app.admin('PATCH', `${SIGNERS}/${id}`, body)
  const later = () => app.clock.advance(1_000)

  await t.test('W-30 PUT replaces every member', async () => {
    const id = await create(app)
    later()
    const body = everything()
    const reply = await put(id, body)
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.json, { data: {}, meta: {} })
    const signer = await detailOf(app, id)
    for (const [name, value] of Object.entries(body)) assert.deepEqual(signer[name], value, name)
    assert.ok(signer.updatedAt > signer.createdAt)
  })

  await t.test('W-31 S1-2.1.claimsProperty PUT resets every omitted member to its default', async () => {
    const id = await create(app, everything())
    const required = jwksBody()
    const optional = Object.keys(everything()).filter((name) => !(name in required))
    const unset = await detailOf(app, await create(app))
    for (const body of [required, { ...required, ...Object.fromEntries(optional.map((name) => [name, null])) }]) {
      assert.equal((await patch(id, everything())).status, 200)
      assert.equal((await put(id, body)).status, 200)
      const signer = await detailOf(app, id)
      for (const name of optional) assert.deepEqual(signer[name], unset[name], name)
      assert.equal(signer.targetToken, 'ACCESS')
      assert.equal(signer.claimsProperty, '/sub')
    }
  })

  await t.test(
    'S1-1.4 PUT turns a certificate signer into a JWKS signer and back, with all derived members',
    async () => {
      const body = certBody()
      const id = await create(app, body)
      const { certPem, ...rest } = body
      assert.equal((await put(id, { ...rest, jwksEndpoint: 'https://x.example/keys' })).status, 200)
      const jwks = await detailOf(app, id)
      assert.deepEqual([jwks.certPem, jwks.fingerprint, jwks.commonName], [null, null, ''])
      assert.equal(jwks.notAfter, '0001-01-01T00:00:00.000Z')
      assert.equal(jwks.keyStatus.source, 'jwks')
      assert.deepEqual(jwks.keyStatus.keys, [])
      assert.equal((await put(id, body)).status, 200)
      const certificate = await detailOf(app, id)
      assert.equal(certificate.jwksEndpoint, null)
      assert.equal(certificate.keyStatus.keys[0].kid, certificate.fingerprint)
    },
  )

  await t.test('W-32 S1-3 S1-2.1.enabled PATCH of one member changes that member only', async () => {
    const first = makeTestCertificate({ commonName: 'first' })
    const { jwksEndpoint: _, ...body } = everything()
    const id = await create(app, { ...body, certPem: first.pem })
    const cases: [Record<string, unknown>, string[]][] = [
      [{ name: 'another name' }, ['name']],
      [{ enabled: false }, ['enabled']],
      [{ kid: 'another kid' }, ['keyStatus', 'kid']],
      [{ targetToken: 'ACCESS' }, ['targetToken']],
      [{ tags: { a: 'b' } }, ['tags']],
      [{ audience: 'edge-2' }, ['audience']],
      [{ issuer: 'https://elsewhere.example' }, ['issuer']],
      [{ useExternalId: false }, ['useExternalId']],
      [{ enrollToCertEnabled: false }, ['enrollToCertEnabled']],
      [{ enrollToTokenEnabled: false }, ['enrollToTokenEnabled']],
      [{ scopes: 'one two' }, ['scopes']],
      [{ claimsProperty: 'sub' }, ['claimsProperty']],
      [{ enrollNameClaimsSelector: 'nick' }, ['enrollNameClaimsSelector']],
      [{ enrollAttributeClaimsSelector: 'roles' }, ['enrollAttributeClaimsSelector']],
      [{ openIdConfigurationUrl: 'https://b.example/.well-known/openid-configuration' }, ['openIdConfigurationUrl']],
      [{ externalAuthUrl: 'https://b.example/' }, ['externalAuthUrl']],
      [{ clientId: 'other' }, ['clientId']],
      [{ clockSkewSeconds: 0 }, ['clockSkewSeconds']],
      [{ maxTokenAgeSeconds: 60 }, ['maxTokenAgeSeconds']],
      [{ requiredClaims: { hd: ['a.example', 'b.example'] } }, ['requiredClaims']],
      [
        { certPem: makeTestCertificate({ commonName: 'second', notAfter: new Date('2039-01-01T00:00:00Z') }).pem },
        ['certPem', 'commonName', 'fingerprint', 'keyStatus', 'notAfter'],
      ],
    ]
    for (const [members, names] of cases) {
      const before = await detailOf(app, id)
      later()
      const reply = await patch(id, members)
      assert.deepEqual([reply.status, reply.json], [200, { data: {}, meta: {} }])
      assert.deepEqual(changed(before, await detailOf(app, id)), [...names, 'updatedAt'].toSorted())
    }
  })

  await t.test('D6 PATCH ignores null, and an empty object changes nothing', async () => {
    const id = await create(app, everything())
    const before = await detailOf(app, id)
    const names = Object.keys(everything())
    later()
    const nothing = [
      {},
      null,
      Object.fromEntries(names.map((name) => [name, null])),
      { scopes: null, tags: {} },
      { requiredClaims: {} },
      { unknown: 1, id: 'x', createdAt: 'y' },
    ]
    for (const body of nothing) {
      assert.equal((await patch(id, body)).status, 200)
      assert.deepEqual(await detailOf(app, id), before)
    }
    assert.equal((await patch(id, { scopes: null, tags: {}, kid: 'b' })).status, 200)
    assert.deepEqual(changed(before, await detailOf(app, id)), ['kid', 'updatedAt'])
  })

  await t.test('D6 PATCH with a blank text or an empty list resets a member to its default', async () => {
    const blankable = [
      'kid',
      'claimsProperty',
      'externalAuthUrl',
      'openIdConfigurationUrl',
      'clientId',
      'scopes',
      'targetToken',
      'enrollAttributeClaimsSelector',
      'enrollNameClaimsSelector',
      'enrollAuthPolicyId',
    ]
    const unset = await detailOf(app, await create(app))
    const id = await create(app, everything())
    for (const name of blankable) {
      assert.equal((await patch(id, { [name]: '' })).status, 200)
      assert.deepEqual((await detailOf(app, id))[name], unset[name], name)
    }
    assert.equal((await patch(id, { scopes: ['a'] })).status, 200)
    assert.equal((await patch(id, { scopes: [] })).status, 200)
    assert.equal((await detailOf(app, id)).scopes, null)
  })

  await t.test('W-26 a required member can be omitted from a PATCH, but not blank', async () => {
    const id = await create(app)
    const before = await detailOf(app, id)
    for (const name of ['name', 'issuer', 'audience']) {
      for (const blank of ['', ' ']) {
        assert.equal(summarize(await patch(id, { [name]: blank })), `400 COULD_NOT_VALIDATE ${name}`)
        assert.equal(summarize(await put(id, jwksBody({ [name]: blank }))), `400 COULD_NOT_VALIDATE ${name}`)
      }
    }
    assert.deepEqual(await detailOf(app, id), before)
    assert.equal(summarize(await patch(id, { audience: 'x' })), '200')
  })

  await t.test(
    'H-07 a PATCH that leaves two key sources or none is refused and changes nothing; one that exchanges them works',
    async () => {
      const { pem } = makeTestCertificate()
      const certId = await create(app, certBody())
      const jwksId = await create(app)
      const before = [await savedOf(app, certId), await savedOf(app, jwksId)]
      assert.equal(summarize(await patch(certId, { jwksEndpoint: 'https://x.example/keys' })), '400 INVALID_FIELD')
      assert.equal(summarize(await patch(jwksId, { certPem: pem })), '400 INVALID_FIELD')
      assert.equal(summarize(await patch(certId, { certPem: '' })), '400 INVALID_FIELD')
      assert.equal(summarize(await patch(jwksId, { jwksEndpoint: '' })), '400 INVALID_FIELD')
      assert.deepEqual([await savedOf(app, certId), await savedOf(app, jwksId)], before)
      assert.equal(summarize(await patch(jwksId, { jwksEndpoint: '', certPem: pem })), '200')
      assert.equal((await detailOf(app, jwksId)).certPem, pem)
    },
  )

  await t.test('S1-1.5 D4 rotating the certificate or its kid takes effect at once', async () => {
    const id = await create(app, certBody())
    const old = await detailOf(app, id)
    const next = makeTestCertificate({ commonName: 'next year', notAfter: new Date('2041-01-01T00:00:00Z') })
    assert.equal((await patch(id, { certPem: next.pem })).status, 200)
    const rotated = await detailOf(app, id)
    assert.notEqual(rotated.fingerprint, old.fingerprint)
    assert.equal(rotated.commonName, 'next year')
    assert.equal(rotated.notAfter, '2041-01-01T00:00:00.000Z')
    assert.equal(rotated.keyStatus.keys[0].kid, rotated.fingerprint)
    assert.notEqual(rotated.keyStatus.keys[0].thumbprint, old.keyStatus.keys[0].thumbprint)
    // Released values are available at once.
    assert.equal((await app.admin('POST', SIGNERS, certBody({ certPem: old.certPem }))).status, 201)
    assert.equal((await patch(id, { kid: '2041' })).status, 200)
    assert.equal((await detailOf(app, id)).keyStatus.keys[0].kid, '2041')
    assert.equal((await patch(id, { kid: '' })).status, 200)
    assert.equal((await detailOf(app, id)).keyStatus.keys[0].kid, rotated.fingerprint)
  })

  await t.test('W-25 PATCH of the name keeps the tags, PATCH of the tags replaces them all', async () => {
    const id = await create(app, jwksBody({ tags: { a: '1', b: '2' } }))
    assert.equal((await patch(id, { name: 'renamed' })).status, 200)
    assert.deepEqual((await detailOf(app, id)).tags, { a: '1', b: '2' })
    assert.equal((await patch(id, { tags: { c: '3' } })).status, 200)
    assert.deepEqual((await detailOf(app, id)).tags, { c: '3' })
  })

  await t.test(
    'D9 W-29 W-28 H-10 a change to a value of another signer is refused like a creation, and changes nothing',
    async () => {
      const other = await detailOf(app, await create(app, certBody({ kid: 'kid of the other' })))
      const id = await create(app, certBody({ audience: other.audience }))
      const before = await detailOf(app, id)
      const full = {
        name: before.name,
        enabled: true,
        issuer: before.issuer,
        audience: before.audience,
        certPem: before.certPem,
      }
      for (const [members, field] of [
        [{ name: other.name }, 'name'],
        [{ issuer: other.issuer }, 'issuer'],
        [{ kid: other.kid }, 'kid'],
        [{ kid: other.fingerprint, certPem: other.certPem }, 'fingerprint'],
        [{ kid: other.kid, certPem: other.certPem }, 'fingerprint'],
        [{ name: other.name, issuer: other.issuer, kid: other.kid }, 'name'],
        [{ issuer: other.issuer, certPem: other.certPem, kid: other.kid }, 'issuer'],
        [{ certPem: other.certPem }, 'fingerprint'],
      ] as const) {
        assert.equal(summarize(await patch(id, members)), `400 COULD_NOT_VALIDATE ${field}`)
        assert.equal(summarize(await put(id, { ...full, ...members })), `400 COULD_NOT_VALIDATE ${field}`)
        assert.deepEqual(await detailOf(app, id), before)
      }
      assert.equal(summarize(await patch(id, { issuer: other.issuer, audience: 'another audience' })), '200')
      assert.equal(summarize(await put(id, full)), '200')
    },
  )

  await t.test('W-33 DELETE works once; afterwards every operation is 404', async () => {
    for (const path of [SIGNERS, OLD_SIGNERS]) {
      const id = await create(app)
      const one = `${path}/${id}`
      assert.equal((await app.admin('GET', one)).status, 200)
      const reply = await app.admin('DELETE', one)
      assert.deepEqual([reply.status, reply.json], [200, { data: {}, meta: {} }])
      for (const [method, body] of [
        ['DELETE'],
        ['GET'],
        ['PATCH', { name: 'x' }],
        ['PATCH', {}],
        ['PUT', jwksBody()],
      ] as const) {
        const after = await app.admin(method, one, body)
        assert.equal(summarize(after), '404 NOT_FOUND')
        assert.deepEqual(after.json.error.cause, {
          code: 'UNHANDLED',
          message: `externalJwtSigner with id ${id} not found`,
        })
      }
    }
  })

  await t.test('W-50 DELETE is refused while a policy names the signer, and the refusal names the policy', async () => {
    const id = await create(app)
    for (const [field, policy] of [
      ['primary.extJwt.allowedSigners', { primary: { extJwt: { allowed: true, allowedSigners: [id] } } }],
      ['secondary.requireExtJwtSigner', { secondary: { requireExtJwtSigner: id } }],
    ] as const) {
      const reply = await app.admin('POST', '/edge/management/v1/auth-policies', {
        name: `policy ${field}`,
        ...FULL_POLICY,
        ...merge(policy),
      })
      assert.equal(reply.status, 201, reply.text)
      const policyId = reply.json.data.id
      const refused = await app.admin('DELETE', `${SIGNERS}/${id}`)
      assert.equal(summarize(refused), `409 CAN_NOT_DELETE_REFERENCED_ENTITY ${field}`)
      assert.equal(refused.json.error.cause.value, `[${policyId}]`)
      assert.equal((await app.admin('GET', `${SIGNERS}/${id}`)).status, 200)
      assert.equal((await app.admin('DELETE', `/edge/management/v1/auth-policies/${policyId}`)).status, 200)
    }
    assert.equal((await app.admin('DELETE', `${SIGNERS}/${id}`)).status, 200)
  })

  await t.test('D9 one of twenty concurrent creates with the same name succeeds, the others get an error', async () => {
    const name = 'contested'
    const replies = await Promise.all(Array.from({ length: 20 }, () => app.admin('POST', SIGNERS, jwksBody({ name }))))
    const results = replies.map(summarize).toSorted()
    assert.deepEqual(results, ['201', ...Array(19).fill('400 COULD_NOT_VALIDATE name')])
    const bodies = Array.from({ length: 20 }, () => jwksBody())
    const others = await Promise.all(bodies.map((body) => app.admin('POST', SIGNERS, body)))
    assert.deepEqual(new Set(others.map(summarize)), new Set(['201']))
  })
})

const FULL_POLICY = {
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners: [] as string[] },
    updb: {
      allowed: true,
      minPasswordLength: 5,
      requireSpecialChar: false,
      requireNumberChar: false,
      requireMixedCase: false,
      maxAttempts: 5,
      lockoutDurationMinutes: 0,
    },
  },
  secondary: { requireTotp: false } as { requireTotp: boolean; requireExtJwtSigner?: string },
}

function merge(policy: { primary?: { extJwt: object }; secondary?: object }) {
  return {
    primary: { ...FULL_POLICY.primary, ...policy.primary },
    secondary: { ...FULL_POLICY.secondary, ...policy.secondary },
  }
}
