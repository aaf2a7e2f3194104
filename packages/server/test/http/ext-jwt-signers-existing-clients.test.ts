import assert from 'node:assert/strict'
import { makeTestCertificate } from '@countersign/testkit'
import { CLIENT_SIGNERS, changed, detailOf, OLD_SIGNERS, summarize, testWithApp } from './ext-jwt-signers.fixture.ts'

/** The members that an existing controller always shows in a detail. This controller shows all of them, and more. */
const KNOWN_MEMBERS = [
  '_links',
  'audience',
  'certPem',
  'claimsProperty',
  'clientId',
  'commonName',
  'createdAt',
  'enabled',
  'enrollAuthPolicyId',
  'enrollNameClaimsSelector',
  'externalAuthUrl',
  'fingerprint',
  'id',
  'issuer',
  'jwksEndpoint',
  'kid',
  'name',
  'notAfter',
  'notBefore',
  'scopes',
  'tags',
  'targetToken',
  'updatedAt',
  'useExternalId',
]
/** Existing clients crash on null in one of these. */
const NEVER_NULL = ['claimsProperty', 'name', 'audience', 'enabled', 'useExternalId', 'issuer', 'targetToken']

testWithApp('requests of existing clients', async (t, app) => {
  const post = (body: unknown) => app.admin('POST', OLD_SIGNERS, body)
  const created = async (body: unknown): Promise<string> => {
    const reply = await post(body)
    assert.equal(reply.status, 201, reply.text)
    return reply.json.data.id
  }

  await t.test('W-22 D6 the command line creates, finds, updates and deletes a JWKS signer', async () => {
    const id = await created({
      audience: 'edge',
      certPem: null,
      claimsProperty: 'sub',
      enabled: true,
      enrollAttributeClaimsSelector: '',
      enrollAuthPolicyId: '',
      enrollNameClaimsSelector: '',
      enrollToCertEnabled: false,
      enrollToTokenEnabled: false,
      externalAuthUrl: '',
      issuer: 'https://cli.example',
      jwksEndpoint: 'https://cli.example/keys',
      kid: null,
      name: 'cli-jwks',
      scopes: null,
      tags: {},
      targetToken: 'ACCESS',
      useExternalId: true,
    })
    for (const filter of [
      `filter=id="${id}"`,
      'filter=name="cli-jwks"',
      `filter=id+%3D+%22${id}%22+or+name%3D%22cli-jwks%22`,
    ]) {
      const { data, meta } = (await app.admin('GET', `${OLD_SIGNERS}?${filter}`)).json
      assert.deepEqual(
        data.map((signer: { id: string }) => signer.id),
        [id],
      )
      assert.equal(meta.pagination.totalCount, 1)
      for (const name of NEVER_NULL) assert.notEqual(data[0][name], null, name)
      assert.equal(data[0].claimsProperty, 'sub')
      assert.equal(data[0].externalAuthUrl, null)
    }
    assert.equal((await app.admin('PATCH', `${OLD_SIGNERS}/${id}`, { tags: { owner: 'iam' } })).status, 200)
    const before = await detailOf(app, id)
    assert.equal(
      (await app.admin('PATCH', `${OLD_SIGNERS}/${id}`, { audience: 'edge-2', scopes: null, tags: {} })).status,
      200,
    )
    assert.deepEqual(changed(before, await detailOf(app, id)), ['audience', 'updatedAt'])
    assert.equal((await app.admin('DELETE', `${OLD_SIGNERS}/${id}`)).status, 200)
  })

  await t.test(
    'D4 H-05 the command line, the provider and the old console send a blank kid with a certificate',
    async () => {
      const { pem } = makeTestCertificate()
      const id = await created({
        audience: 'edge',
        certPem: pem,
        claimsProperty: 'sub',
        enabled: true,
        externalAuthUrl: '',
        issuer: 'https://cli-cert.example',
        kid: '',
        name: 'cli-cert',
        scopes: null,
        tags: {},
        useExternalId: true,
      })
      const signer = await detailOf(app, id)
      assert.equal(signer.kid, null)
      assert.equal(signer.keyStatus.keys[0].kid, signer.fingerprint)
    },
  )

  await t.test('W-30 the Terraform provider creates with POST, reads back, and updates with PUT', async () => {
    const body = {
      audience: 'edge',
      certPem: null,
      claimsProperty: 'email',
      clientId: 'terraform',
      enabled: true,
      externalAuthUrl: 'https://tf.example/authorize',
      issuer: 'https://tf.example',
      jwksEndpoint: 'https://tf.example/keys',
      kid: '',
      name: 'tf',
      scopes: ['openid', 'email', 'aaa'],
      tags: { managed: 'terraform' },
      targetToken: 'ID',
      useExternalId: false,
    }
    const id = await created(body)
    const read = () => detailOf(app, id, { collection: OLD_SIGNERS })
    // A declarative tool compares the values it reads with those it wrote.
    for (const [name, value] of Object.entries(body))
      assert.deepEqual((await read())[name], value === '' ? null : value, name)
    const before = await read()
    assert.equal((await app.admin('PUT', `${OLD_SIGNERS}/${id}`, { ...body, audience: 'edge-2' })).status, 200)
    assert.deepEqual(changed(before, await read()), ['audience', 'updatedAt'])
    assert.equal((await app.admin('DELETE', `${OLD_SIGNERS}/${id}`)).status, 200)
    assert.equal(summarize(await app.admin('GET', `${OLD_SIGNERS}/${id}`)), '404 NOT_FOUND')
  })

  await t.test('M-12 W-30 the old console sends a whole detail back', async () => {
    const id = await created({
      name: 'zac',
      enabled: true,
      issuer: 'https://zac.example',
      audience: 'edge',
      jwksEndpoint: 'https://zac.example/keys',
      kid: '',
      certPem: null,
      externalAuthUrl: '',
      clientId: '',
      scopes: [],
      claimsProperty: '',
      useExternalId: true,
      tags: {},
    })
    const before = await detailOf(app, id)
    const body = { ...before, kid: '', externalAuthUrl: '', clientId: 'zac' }
    assert.equal((await app.admin('PUT', `${OLD_SIGNERS}/${id}`, body)).status, 200)
    assert.deepEqual(changed(before, await detailOf(app, id)), ['clientId', 'updatedAt'])
    const page = await app.admin('GET', `${OLD_SIGNERS}?limit=50&offset=0&sort=name  asc&rejectUnauthorized=false`)
    assert.deepEqual([page.status, page.json.meta.pagination.limit], [200, 50])
    assert.equal((await app.call('GET', CLIENT_SIGNERS)).status, 200)
  })

  await t.test(
    'W-22 W-24 a response has every member that an existing controller shows, of the same type',
    async () => {
      for (const body of [
        {
          name: 'corp',
          issuer: 'https://corp.example',
          jwksEndpoint: 'http://127.0.0.1:38903/corp',
          claimsProperty: 'email',
          useExternalId: true,
        },
        { name: 'minimal', issuer: 'https://minimal.example', jwksEndpoint: 'http://127.0.0.1:38903/minimal' },
        {
          name: 'static',
          issuer: 'https://static.example',
          kid: 'static-1',
          certPem: makeTestCertificate({ commonName: 'static' }).pem,
        },
      ]) {
        const signer = await detailOf(app, await created({ enabled: true, audience: 'edge', ...body }))
        for (const name of KNOWN_MEMBERS) assert.ok(name in signer, name)
        for (const name of NEVER_NULL) assert.notEqual(signer[name], null, name)
        for (const name of ['createdAt', 'updatedAt', 'notBefore', 'notAfter']) {
          assert.match(signer[name], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        }
        assert.equal(typeof signer.commonName, 'string')
      }
    },
  )

  await t.test('W-26 W-27 W-28 refusals have the codes and causes of an existing controller', async () => {
    const corp = {
      enabled: true,
      audience: 'edge',
      jwksEndpoint: 'http://127.0.0.1:38903/corp',
      claimsProperty: 'email',
      useExternalId: true,
    }
    const cases: [Record<string, unknown>, number, string, Readonly<Record<string, string>>][] = [
      [
        { ...corp, name: 'corp', issuer: 'https://other.example' },
        400,
        'COULD_NOT_VALIDATE',
        { field: 'name', reason: 'name must be unique', value: 'corp' },
      ],
      [
        { ...corp, name: 'other', issuer: 'https://corp.example' },
        400,
        'COULD_NOT_VALIDATE',
        {
          field: 'issuer',
          reason: "duplicate value 'https://corp.example' in unique index on externalJwtSigners store",
          value: 'https://corp.example',
        },
      ],
      [
        { ...corp, issuer: 'https://corp.example' },
        400,
        'COULD_NOT_VALIDATE',
        { field: 'name', reason: 'name in body is required', value: '<nil>' },
      ],
      [
        { ...corp, name: 'x' },
        400,
        'COULD_NOT_VALIDATE',
        { field: 'issuer', reason: 'issuer in body is required', value: '<nil>' },
      ],
      [
        { ...corp, name: 'x', issuer: 'https://x.example', enrollToTokenEnabled: true, enrollAuthPolicyId: 'none' },
        400,
        'COULD_NOT_VALIDATE',
        {
          field: 'enrollAuthPolicyId',
          reason: 'the auth policy must be specified if enroll to token is enabled',
          value: 'none',
        },
      ],
    ]
    for (const [body, status, code, cause] of cases) {
      const { json, status: got, headers } = await post(body)
      assert.deepEqual([got, json.error.code, json.error.cause], [status, code, cause])
      // One member more than on existing controllers, for people.
      const { conflictsWith, ...members } = json.error
      assert.deepEqual(Object.keys(members).toSorted(), ['cause', 'code', 'message', 'requestId'])
      assert.equal(conflictsWith, cause.reason?.includes('unique') ? 'corp' : undefined)
      assert.deepEqual(json.meta, { apiEnrollmentVersion: '0.0.1', apiVersion: '0.0.1' })
      assert.equal(headers['content-type'], 'application/json')
    }
  })

  await t.test('W-33 wrong paths, methods and bodies get the error texts of an existing controller', async () => {
    const wrongVerb = await app.admin('PUT', OLD_SIGNERS, {})
    assert.equal(summarize(wrongVerb), '405 METHOD_NOT_ALLOWED')
    assert.equal(wrongVerb.json.error.cause.message, 'method PUT is not allowed, but [GET,POST] are')
    const broken = await app.admin('POST', OLD_SIGNERS, undefined, {
      raw: '{"name":',
      headers: { 'content-type': 'application/json' },
    })
    assert.equal(summarize(broken), '400 COULD_NOT_PARSE_BODY')
    assert.equal(summarize(await app.admin('POST', OLD_SIGNERS)), '400 COULD_NOT_VALIDATE externalJwtSigner')
    assert.equal(summarize(await app.admin('GET', `${OLD_SIGNERS}/none`)), '404 NOT_FOUND')
    for (const id of ['%00', '..%2f', '%F0%9F%98%80', 'a'.repeat(400)]) {
      const { status } = await app.admin('GET', `${OLD_SIGNERS}/${id}`)
      assert.ok(status === 404 || status === 400, `${id} ${status}`)
    }
  })
})
