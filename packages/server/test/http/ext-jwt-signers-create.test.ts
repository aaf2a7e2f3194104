import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { makeTestCertificate } from '@countersign/testkit'
import {
  certBody,
  create,
  detailOf,
  jwksBody,
  OLD_SIGNERS,
  SIGNERS,
  summarize,
  testWithApp,
} from './ext-jwt-signers.fixture.ts'

const NO_INSTANT = '0001-01-01T00:00:00.000Z'
const EMPTY_KEY_STATUS = { lastSuccessAt: null, lastError: null, stale: false, warnings: [] }

/** The members of a shown signer that a request can set, and its id. */
function settingsOf(signer: Awaited<ReturnType<typeof detailOf>>) {
  const { _links, createdAt, updatedAt, keyStatus, trust, ...settings } = signer
  const { backchannelLogoutUrl, sharedSignalsUrl, scimUrl, ...rest } = settings
  return rest
}

testWithApp('creating signers', async (t, app) => {
  const paths = [SIGNERS, OLD_SIGNERS]

  await t.test(
    'S1-4.1.1 D1 S1-9 S1-2.1 accepts the documented JWKS form on both paths and links to the path of the request',
    async () => {
      for (const [at, path] of paths.entries()) {
        const body = {
          name: `Corporate login ${at}`,
          enabled: true,
          issuer: `https://login-${at}.example`,
          audience: 'overlay',
          jwksEndpoint: 'https://login.example/.well-known/jwks.json',
          claimsProperty: 'email',
          useExternalId: true,
        }
        const reply = await app.admin('POST', path, body)
        assert.equal(reply.status, 201)
        const { id } = reply.json.data
        const collection = path.split('/').at(-1)
        const _links = { self: { href: `./${collection}/${id}` } }
        assert.deepEqual(reply.json, { data: { _links, id }, meta: {} })
        for (const other of paths) {
          const { data } = (await app.admin('GET', `${other}/${id}`)).json
          assert.deepEqual(data._links, { self: { href: `./${other.split('/').at(-1)}/${id}` } })
          for (const [name, value] of Object.entries(body)) assert.deepEqual(data[name], value, name)
        }
      }
    },
  )

  await t.test(
    'S1-4.1.2 S1-1.4 accepts the documented certificate form on both paths; the claim is then the subject',
    async () => {
      for (const [at, path] of paths.entries()) {
        const { pem } = makeTestCertificate({ commonName: `static ${at}` })
        const body = {
          name: `Static ${at}`,
          enabled: true,
          issuer: `https://static-${at}.example`,
          audience: 'overlay',
          kid: `static-${at}`,
          certPem: pem,
        }
        const reply = await app.admin('POST', path, body)
        assert.equal(reply.status, 201)
        const signer = await detailOf(app, reply.json.data.id)
        for (const [name, value] of Object.entries(body)) assert.equal(signer[name], value, name)
        assert.equal(signer.claimsProperty, '/sub')
        assert.equal(signer.useExternalId, false)
      }
    },
  )

  await t.test('D1 every operation works under both names of the collection', async () => {
    for (const [one, other] of [paths, paths.toReversed()] as [string, string][]) {
      const { id } = (await app.admin('POST', one, jwksBody())).json.data
      const found = await app.admin('GET', `${other}?filter=id="${id}"`)
      const collection = other.split('/').at(-1)
      assert.equal(found.json.data[0]._links.self.href, `./${collection}/${id}`)
      assert.equal((await app.admin('PATCH', `${other}/${id}`, { enabled: false })).status, 200)
      assert.equal((await app.admin('PUT', `${other}/${id}`, jwksBody())).status, 200)
      assert.equal((await app.admin('DELETE', `${other}/${id}`)).status, 200)
      assert.equal((await app.admin('GET', `${one}/${id}`)).status, 404)
    }
  })

  await t.test(
    'W-22 D2 D12 D15 S1-2.1.useExternalId shows every member as given, and lists the signer once',
    async () => {
      const body = jwksBody({
        additionalAudiences: ['second', 'first'],
        kid: 'not used, but kept',
        jwksCaPem: makeTestCertificate().pem,
        claimsProperty: '/email',
        useExternalId: true,
        externalAuthUrl: 'https://login.example/authorize',
        openIdConfigurationUrl: 'https://login.example/.well-known/openid-configuration',
        clientId: 'desktop-edge',
        scopes: ['openid', 'email', 'b', 'a', 'email'],
        targetToken: 'ID',
        enrollToCertEnabled: true,
        enrollToTokenEnabled: true,
        enrollAttributeClaimsSelector: '/groups',
        enrollNameClaimsSelector: '/preferred_username',
        enrollAuthPolicyId: 'default',
        attributeSync: 'login',
        nameSync: true,
        provisionOnLogin: true,
        reprovisionAfterMinutes: 0,
        clockSkewSeconds: 30,
        maxTokenAgeSeconds: 3600,
        sharedSignals: { audience: 'signals', issuer: 'https://ssf.example', actions: { 'session-revoked': 'log' } },
        scimIdentityAttribute: 'email',
        scimGroupAttributeTemplate: 'group {externalId}',
        requiredClaims: { '/tenant': ['a', 'b'], hd: 'acme.example' },
        pinnedKeyThumbprints: ['A'.repeat(43)],
        requireKeyContinuity: true,
        acceptRule: 'claims.hd == "acme.example"',
        attributeRules: ['claims.groups'],
        testCases: [{ name: 'another', claims: { iss: 'x' }, expect: { outcome: 'refused' } }],
        requirePossession: 'any',
        oneUse: true,
        tags: { owner: 'iam', level: 3, primary: true, nothing: null },
      })
      const id = await create(app, body)
      const signer = await detailOf(app, id)
      const { keyStatus, createdAt, updatedAt } = signer
      assert.deepEqual(settingsOf(signer), {
        ...body,
        id,
        certPem: null,
        jwks: null,
        certPems: null,
        pushedKeys: null,
        jwksAuthorizationSet: false,
        fingerprint: null,
        commonName: '',
        notBefore: NO_INSTANT,
        notAfter: NO_INSTANT,
      })
      assert.deepEqual(keyStatus, { source: 'jwks', keys: [], ignoredKeys: [], ...EMPTY_KEY_STATUS })
      assert.equal(createdAt, updatedAt)
      assert.match(createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const list = await app.admin('GET', `${OLD_SIGNERS}?filter=name="${body.name}"`)
      assert.equal(list.json.meta.pagination.totalCount, 1)
      const { keyStatus: _, ...shown } = await detailOf(app, id)
      assert.deepEqual(list.json.data, [{ ...shown, _links: { self: { href: `./external-jwt-signers/${id}` } } }])
    },
  )

  await t.test('W-22 S1-2.1.certPem D11 shows the certificate’s contents and its key', async () => {
    for (const [kind, alg] of [
      ['rsa2048', 'RS256'],
      ['ec256', 'ES256'],
      ['ec384', 'ES384'],
      ['ec521', 'ES512'],
      ['ed25519', 'EdDSA'],
    ] as const) {
      const { pem, publicKey } = makeTestCertificate({ kind, commonName: `signer ${kind}` })
      const x509 = new X509Certificate(pem)
      const fingerprint = x509.fingerprint.replaceAll(':', '').toLowerCase()
      const { crv, e, kty, n, x, y } = publicKey.export({ format: 'jwk' })
      const thumbprint = createHash('sha256').update(JSON.stringify({ crv, e, kty, n, x, y })).digest('base64url')
      const signer = await detailOf(app, await create(app, certBody({ certPem: pem })))
      assert.equal(signer.certPem, pem)
      assert.equal(signer.fingerprint, fingerprint)
      assert.equal(signer.commonName, `signer ${kind}`)
      assert.equal(signer.notBefore, '2020-01-01T00:00:00.000Z')
      assert.equal(signer.notAfter, '2040-01-01T00:00:00.000Z')
      const keys = [{ kid: fingerprint, alg, thumbprint }]
      assert.deepEqual(signer.keyStatus, { source: 'certificate', keys, ...EMPTY_KEY_STATUS })
    }
  })

  await t.test('W-24 D6 shows a default for every omitted member', async () => {
    const body = jwksBody()
    const { id, ...rest } = settingsOf(await detailOf(app, await create(app, body)))
    assert.deepEqual(rest, {
      ...body,
      additionalAudiences: [],
      jwksCaPem: null,
      certPem: null,
      kid: null,
      fingerprint: null,
      commonName: '',
      notBefore: NO_INSTANT,
      notAfter: NO_INSTANT,
      claimsProperty: '/sub',
      useExternalId: false,
      externalAuthUrl: null,
      openIdConfigurationUrl: null,
      clientId: null,
      scopes: null,
      targetToken: 'ACCESS',
      enrollToCertEnabled: false,
      enrollToTokenEnabled: false,
      enrollAttributeClaimsSelector: null,
      enrollNameClaimsSelector: '/sub',
      enrollAuthPolicyId: null,
      attributeSync: 'enrollment',
      nameSync: false,
      provisionOnLogin: false,
      reprovisionAfterMinutes: 1440,
      clockSkewSeconds: 0,
      maxTokenAgeSeconds: null,
      requiredClaims: null,
      sharedSignals: null,
      scimIdentityAttribute: 'userName',
      scimGroupAttributeTemplate: '{displayName}',
      jwks: null,
      certPems: null,
      pushedKeys: null,
      jwksAuthorizationSet: false,
      pinnedKeyThumbprints: [],
      requireKeyContinuity: false,
      acceptRule: null,
      attributeRules: [],
      testCases: [],
      requirePossession: 'none',
      oneUse: false,
      tags: {},
    })
  })

  await t.test('D6 K-03 treats null, blank text, an empty list and an empty object as omitted', async () => {
    const unset = await detailOf(app, await create(app, jwksBody()))
    const optional = [
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
    const others = [
      'useExternalId',
      'enrollToCertEnabled',
      'enrollToTokenEnabled',
      'clockSkewSeconds',
      'maxTokenAgeSeconds',
    ]
    const emptied = [
      { ...Object.fromEntries(optional.map((name) => [name, ''])), certPem: '' },
      Object.fromEntries([...optional, ...others, 'certPem', 'tags', 'requiredClaims'].map((name) => [name, null])),
      { scopes: [], tags: {}, requiredClaims: {} },
    ]
    for (const members of emptied) {
      const signer = await detailOf(app, await create(app, jwksBody(members)))
      for (const name of [...optional, ...others, 'certPem', 'tags', 'requiredClaims']) {
        assert.deepEqual(signer[name], unset[name], name)
      }
    }
    const signer = await detailOf(app, await create(app, certBody({ jwksEndpoint: '' })))
    assert.equal(signer.jwksEndpoint, null)
  })

  await t.test(
    'D2 S1-2.2.scopes accepts scopes as a list or as one text, and shows a list in the order given',
    async () => {
      for (const [given, shown] of [
        [
          ['openid', 'email'],
          ['openid', 'email'],
        ],
        ['openid email', ['openid', 'email']],
        [' z  a z ', ['z', 'a', 'z']],
        ['', null],
        [[], null],
      ]) {
        const signer = await detailOf(app, await create(app, jwksBody({ scopes: given })))
        assert.deepEqual(signer.scopes, shown)
      }
      const tooMany = Array.from({ length: 101 }, (_, at) => `s${at}`)
      for (const scopes of [tooMany, tooMany.join(' ')]) {
        assert.equal(summarize(await app.admin('POST', SIGNERS, jwksBody({ scopes }))), '400 COULD_NOT_VALIDATE scopes')
        const fitting = typeof scopes === 'string' ? scopes.slice(0, scopes.lastIndexOf(' ')) : scopes.slice(1)
        assert.equal(summarize(await app.admin('POST', SIGNERS, jwksBody({ scopes: fitting }))), '201')
      }
    },
  )

  await t.test(
    'D4 H-05 S1-2.1.kid an absent, null or blank kid is shown as null, and tokens use the fingerprint as kid',
    async () => {
      for (const members of [{}, { kid: null }, { kid: '' }]) {
        const signer = await detailOf(app, await create(app, certBody(members)))
        assert.equal(signer.kid, null)
        assert.match(signer.fingerprint, /^[0-9a-f]{40}$/)
        assert.equal(signer.keyStatus.keys[0].kid, signer.fingerprint)
      }
      const named = await detailOf(app, await create(app, certBody({ kid: 'My Kid' })))
      assert.equal(named.kid, 'My Kid')
      assert.equal(named.keyStatus.keys[0].kid, 'My Kid')
    },
  )

  await t.test('W-25 keeps tags, and ignores those that are objects or lists', async () => {
    const tags = { owner: 'iam', n: 1.5, flag: false, none: null, gone: { a: 1 }, list: ['x'] }
    const signer = await detailOf(app, await create(app, jwksBody({ tags })))
    assert.deepEqual(signer.tags, { owner: 'iam', n: 1.5, flag: false, none: null })
  })

  await t.test('M-12 ignores read-only and unknown members', async () => {
    const { id: taken } = await detailOf(app, await create(app))
    const claims = {
      id: taken,
      createdAt: '2001-01-01T00:00:00.000Z',
      updatedAt: '2001-01-01T00:00:00.000Z',
      fingerprint: 'f'.repeat(40),
      commonName: 'alice',
      notBefore: '2001-01-01T00:00:00.000Z',
      notAfter: '2001-01-01T00:00:00.000Z',
      keyStatus: { source: 'certificate' },
      _links: {},
      isAdmin: true,
      isSystem: true,
      permissions: ['admin'],
      authPolicyId: 'x',
      trust: { state: 'untrusted' },
      isTrusted: true,
      is_trusted: true,
      revision: 99,
      whatever: [1, { a: 2 }],
    }
    const signer = await detailOf(app, await create(app, jwksBody(claims)))
    const plain = await detailOf(app, await create(app, jwksBody()))
    assert.notEqual(signer.id, taken)
    assert.deepEqual(Object.keys(signer).toSorted(), Object.keys(plain).toSorted())
    for (const name of ['fingerprint', 'commonName', 'notBefore', 'notAfter', 'keyStatus', 'tags']) {
      assert.deepEqual(signer[name], plain[name], name)
    }
    assert.ok(Date.parse(signer.createdAt) > Date.parse('2020-01-01'))
    const row = await app.store.db
      .selectFrom('ext_jwt_signers')
      .select(['revision', 'is_system'])
      .where('id', '=', signer.id)
      .executeTakeFirstOrThrow()
    assert.deepEqual([row.revision, Boolean(row.is_system)], [1, false])
  })

  await t.test('M-12 matches member names in any case, and refuses a repeated one', async () => {
    const { name, enabled, issuer, audience, jwksEndpoint } = jwksBody()
    const otherCase = { NAME: name, Enabled: enabled, ISSUER: issuer, Audience: audience, jwksendpoint: jwksEndpoint }
    const signer = await detailOf(app, await create(app, { ...otherCase, USEEXTERNALID: true }))
    assert.equal(signer.name, name)
    assert.equal(signer.useExternalId, true)
    for (const twice of [
      { kid: 'a', KID: 'b' },
      { kid: null, Kid: 'b' },
      { kid: 'a', Kid: null },
    ]) {
      assert.equal(summarize(await app.admin('POST', SIGNERS, jwksBody(twice))), '400 COULD_NOT_PARSE_BODY')
    }
    // Full Unicode case folding turns the Kelvin sign into a K.
    const kelvin = await detailOf(app, await create(app, jwksBody({ '\u212Aid': 'x' })))
    assert.equal(kelvin.kid, null)
  })

  await t.test('M-13 refuses names that reach into a prototype', async () => {
    const json = JSON.stringify(jwksBody({ tags: { harmless: 'x' } }))
    for (const bad of ['"__proto__":{"isAdmin":true}', '"constructor":{"prototype":{"isAdmin":true}}']) {
      const raw = json.replace('"harmless":"x"', bad)
      assert.equal(
        summarize(await app.admin('POST', SIGNERS, undefined, { raw, headers: JSON_TYPE })),
        '400 COULD_NOT_PARSE_BODY',
      )
    }
    assert.equal((await app.admin('POST', SIGNERS, undefined, { raw: json, headers: JSON_TYPE })).status, 201)
    assert.equal(({} as { isAdmin?: unknown }).isAdmin, undefined)
  })
})

const JSON_TYPE = { 'content-type': 'application/json' }
