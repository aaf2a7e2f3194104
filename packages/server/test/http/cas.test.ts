import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { buildExtension } from '@countersign/core'
import { makeTestAuthority, makeTestCertificate } from '@countersign/testkit'
import { serverIdentity } from './build-app.ts'
import { CAS, CLAIM, caBody, caOf, makeCa, verify } from './cas.fixture.ts'
import { intermediatePem, pemOfKey } from './client-certificates.fixture.ts'
import { decodeJwt } from './enrollments.fixture.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'

const INVALID = '400 COULD_NOT_VALIDATE'
const TOO_LONG = buildExtension('1.3.6.1.4.1.99999.1', Buffer.alloc(16_384))

testWithApp('third-party CAs', async (t, app) => {
  await t.test('R-23 a caller has at most 200 CAs that no administrator trusts', async () => {
    const { session } = await app.makeIdentity({ permissions: ['ca'] })
    const add = async (caller: string) => app.call('POST', CAS, caBody(makeTestAuthority().pem), { session: caller })
    const ids: string[] = []
    for (let count = 0; count < 200; count++) {
      const reply = await add(session)
      assert.equal(reply.status, 201, reply.text)
      ids.push(reply.json.data.id)
    }
    assert.equal(summarize(await add(session)), INVALID)
    assert.equal(summarize(await add(app.adminSession)), '201', 'an administrator')
    assert.equal((await app.admin('POST', `${CAS}/${ids[0]}/trust`)).status, 200)
    assert.equal(summarize(await add(session)), '201')
    assert.equal(summarize(await add(session)), INVALID)
  })

  await t.test('W-82 a CA is created, shown, listed, changed and deleted', async () => {
    const authority = makeTestAuthority()
    const certPem = `Corporate CA\n${authority.pem}`
    const body = caBody(certPem, {
      name: 'Corporate devices',
      identityRoles: ['b', 'a', 'b'],
      tags: { owner: 'it' },
      isVerified: true,
      verificationToken: 'mine',
      fingerprint: 'ff',
    })
    const created = await app.admin('POST', CAS, body)
    assert.equal(created.status, 201)
    const { id } = created.json.data
    assert.deepEqual(created.json, { data: { _links: { self: { href: `./cas/${id}` } }, id }, meta: {} })
    const detail = await app.admin('GET', `${CAS}/${id}`)
    const { createdAt, updatedAt, verificationToken, trust, ...shown } = detail.json.data
    assert.deepEqual(shown, {
      _links: {
        self: { href: `./cas/${id}` },
        verify: { href: `./cas/${id}/verify` },
        jwt: { href: `./cas/${id}/jwt` },
      },
      id,
      tags: { owner: 'it' },
      name: 'Corporate devices',
      certPem,
      fingerprint: new X509Certificate(authority.pem).fingerprint.replaceAll(':', '').toLowerCase(),
      isVerified: false,
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
      identityRoles: ['a', 'b'],
      identityNameFormat: '[caName]-[commonName]',
    })
    assert.match(verificationToken, /^[A-Za-z0-9.-]{9,64}$/)
    assert.equal(createdAt, updatedAt)
    assert.equal(trust.state, 'trusted')
    const listed = await app.admin('GET', `${CAS}?filter=${encodeURIComponent('name = "Corporate devices"')}`)
    assert.deepEqual(listed.json.data, [detail.json.data])
    assert.deepEqual(listed.json.meta.filterableFields.toSorted(), [
      ...['createdAt', 'fingerprint', 'id', 'isAuthEnabled', 'isAutoCaEnrollmentEnabled', 'isOttCaEnrollmentEnabled'],
      ...['isSystem', 'isVerified', 'name', 'tags', 'updatedAt', 'verificationToken'],
    ])
    for (const symbol of ['identityRoles', 'certPem', 'identityNameFormat', 'externalIdClaim']) {
      const reply = await app.admin('GET', `${CAS}?filter=${encodeURIComponent(`${symbol} = "x"`)}`)
      assert.equal(summarize(reply), '400 INVALID_FILTER', symbol)
    }
    assert.equal(summarize(await app.admin('DELETE', `${CAS}/${id}`)), '200')
    for (const path of [`/${id}`, `/${id}/jwt`])
      assert.equal(summarize(await app.admin('GET', CAS + path)), '404 NOT_FOUND')
    assert.equal(summarize(await app.admin('POST', CAS, body)), '201', 'the certificate can be registered again')
    assert.equal(summarize(await app.call('GET', '/edge/client/v1/cas')), '404 NOT_FOUND')
  })

  await t.test('W-83 invalid bodies are refused, and no answer repeats certPem', async () => {
    const { id, authority } = await makeCa(app, { name: 'taken' })
    const leaf = makeTestCertificate({ issuer: authority })
    const key = pemOfKey(leaf)
    const good = () => makeTestAuthority().pem
    const bad: readonly (readonly [members: object, expected: string])[] = [
      [{ name: '' }, `${INVALID} name`],
      [{ name: undefined }, `${INVALID} name`],
      [{ name: 'taken' }, `${INVALID} name`],
      [{ isAuthEnabled: null }, `${INVALID} isAuthEnabled`],
      [{ identityRoles: undefined }, `${INVALID} identityRoles`],
      [{ identityRoles: 'x' }, '400 COULD_NOT_PARSE_BODY'],
      [{ certPem: authority.pem }, `${INVALID} certPem`],
      [{ certPem: '' }, `${INVALID} certPem`],
      [{ certPem: ' \n' }, `${INVALID} certPem`],
      [{ certPem: 'no PEM' }, `${INVALID} certPem`],
      [{ certPem: key }, `${INVALID} certPem`],
      [{ certPem: good() + key }, `${INVALID} certPem`],
      [{ certPem: `${good()}after` }, `${INVALID} certPem`],
      [{ certPem: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' }, `${INVALID} certPem`],
      [{ certPem: leaf.pem }, `${INVALID} certPem`],
      [{ certPem: makeTestAuthority({ kind: 'rsa1024' }).pem }, `${INVALID} certPem`],
      [{ certPem: makeTestAuthority({ nameConstraints: 'critical' }).pem }, `${INVALID} certPem`],
      [{ certPem: makeTestAuthority({ nameConstraints: 'not critical' }).pem }, `${INVALID} certPem`],
      [{ certPem: makeTestAuthority({ keyUsage: 'digitalSignature' }).pem }, `${INVALID} certPem`],
      [{ certPem: makeTestAuthority({ usage: 'serverAuth' }).pem }, `${INVALID} certPem`],
      [{ certPem: makeTestAuthority({ extensions: [TOO_LONG] }).pem }, `${INVALID} certPem`],
      [{ certPem: Array.from({ length: 11 }, good).join('') }, `${INVALID} certPem`],
      [{ certPem: await intermediatePem() }, `${INVALID} certPem`],
      [{ certPem: `\0${good()}` }, '400 COULD_NOT_PARSE_BODY'],
      [{ isAuthEnabled: 'yes' }, '400 COULD_NOT_PARSE_BODY'],
      [{ externalIdClaim: { ...CLAIM, index: '0' } }, '400 COULD_NOT_PARSE_BODY'],
      [{ externalIdClaim: { ...CLAIM, location: 'common_name' } }, `${INVALID} externalIdClaim.location`],
      [{ externalIdClaim: { ...CLAIM, parser: undefined } }, `${INVALID} externalIdClaim.parser`],
      [{ externalIdClaim: { ...CLAIM, index: -1 } }, '400 INVALID_FIELD externalIdClaim.index'],
      [{ externalIdClaim: { ...CLAIM, matcher: 'PREFIX' } }, '400 INVALID_FIELD'],
    ]
    for (const [members, expected] of bad) {
      const reply = await app.admin('POST', CAS, { ...caBody(good()), ...members })
      assert.equal(summarize(reply), expected, JSON.stringify(members).slice(0, 200))
      assert.doesNotMatch(reply.text, /BEGIN/)
    }
    const duplicate = await app.admin('POST', CAS, caBody(authority.pem))
    assert.equal(duplicate.json.error.cause.reason, `certificate already used as CA ${id}`)
    const accepted = [
      { certPem: good() + good() },
      { certPem: `first\n${good()}between\n${good()}` },
      { certPem: Array.from({ length: 10 }, good).join('') },
      { certPem: makeTestAuthority({ issuer: authority }).pem },
      { certPem: makeTestAuthority({ notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01') }).pem },
      { certPem: makeTestAuthority({ keyUsage: 'keyCertSign' }).pem },
      { certPem: makeTestAuthority({ usage: 'clientAuth' }).pem },
      { certPem: makeTestAuthority({ kind: 'rsa2048' }).pem },
      { externalIdClaim: null, tags: null, identityNameFormat: null },
      { identityRoles: ['', '#x', '@y'], identityNameFormat: '[nope]' },
      { externalIdClaim: CLAIM },
    ]
    for (const members of accepted) {
      const reply = await app.admin('POST', CAS, { ...caBody(good()), ...members })
      assert.equal(summarize(reply), '201', JSON.stringify(members).slice(0, 200))
    }
    assert.equal(summarize(await app.admin('POST', CAS)), `${INVALID} ca`)
  })

  await t.test('W-84 PUT and PATCH change a CA; absent claims stay in a PATCH, and null removes them', async () => {
    const { id } = await makeCa(app, { externalIdClaim: CLAIM, tags: { a: 'b' } })
    const { name, certPem, fingerprint } = await caOf(app, id)
    const put = (members: object) =>
      app.admin('PUT', `${CAS}/${id}`, { ...caBody(''), identityNameFormat: '', ...members })
    assert.equal(summarize(await put({ identityNameFormat: undefined })), `${INVALID} identityNameFormat`)
    assert.equal(summarize(await put({ name: '', identityRoles: [] })), '200')
    const replaced = await caOf(app, id)
    assert.deepEqual(
      [
        replaced.name,
        replaced.certPem,
        replaced.fingerprint,
        replaced.isVerified,
        replaced.tags,
        replaced.identityRoles,
      ],
      [name, certPem, fingerprint, true, {}, []],
    )
    assert.ok(!('externalIdClaim' in replaced), 'a PUT without a claim removes it')

    const patch = async (body: object) => {
      assert.equal(summarize(await app.admin('PATCH', `${CAS}/${id}`, body)), '200', JSON.stringify(body))
      return caOf(app, id)
    }
    assert.deepEqual((await patch({ externalIdClaim: {} })).externalIdClaim, undefined)
    assert.deepEqual((await patch({ externalIdClaim: CLAIM })).externalIdClaim, CLAIM)
    for (const body of [
      {},
      { name: null },
      { name: '' },
      { externalIdClaim: {} },
      { tags: {} },
      { identityRoles: ['x'] },
    ]) {
      assert.deepEqual((await patch(body)).externalIdClaim, CLAIM, JSON.stringify(body))
    }
    const split = { parser: 'SPLIT', parserCriteria: '.', index: 2 }
    assert.deepEqual((await patch({ externalIdClaim: split })).externalIdClaim, { ...CLAIM, ...split })
    assert.equal((await patch({ externalIdClaim: null })).externalIdClaim, undefined)
    await patch({ externalIdClaim: CLAIM })
    const kept = await patch({ identityRoles: null, name: 'renamed' })
    assert.deepEqual([kept.externalIdClaim, kept.identityRoles, kept.name], [CLAIM, ['x'], 'renamed'])
    assert.equal((await patch({ identityRoles: null })).externalIdClaim, undefined, 'the order of the existing command')
    assert.deepEqual((await patch({ identityRoles: [] })).identityRoles, [])
    const bare = { externalIdClaim: { matcher: 'ALL', parser: 'NONE' } }
    assert.equal(summarize(await app.admin('PATCH', `${CAS}/${id}`, bare)), `${INVALID} externalIdClaim.location`)
    await makeCa(app, { name: 'other' })
    assert.equal(summarize(await app.admin('PATCH', `${CAS}/${id}`, { name: 'other' })), `${INVALID} name`)
    assert.equal(summarize(await put({ name: 'other' })), `${INVALID} name`)
    assert.equal(summarize(await app.admin('PATCH', `${CAS}/no-such-id`, {})), '404 NOT_FOUND')
  })

  await t.test('W-85 a certificate that the CA has signed with the token as name verifies it, once', async () => {
    const ca = await makeCa(app, { isVerified: false })
    const { verificationToken: commonName } = await caOf(app, ca.id)
    const past = { notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01') }
    const { authority: issuer } = ca
    const between = makeTestAuthority({ issuer, commonName: 'between' })
    const bad: readonly (readonly [pem: string, expected: string])[] = [
      ['', '400 COULD_NOT_PARSE_BODY'],
      ['no PEM', '400 COULD_NOT_PARSE_BODY'],
      [pemOfKey(issuer), '400 EXPECTED_PEM_CERTIFICATE'],
      ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', '400 COULD_NOT_PARSE_DER_BLOCK'],
      [makeTestCertificate({ issuer, commonName: 'other' }).pem, '400 INVALID_COMMON_NAME'],
      [makeTestCertificate({ commonName }).pem, '400 CERTIFICATE_FAILED_VALIDATION'],
      [makeTestCertificate({ issuer, commonName, ...past }).pem, '400 CERTIFICATE_FAILED_VALIDATION'],
      [makeTestCertificate({ issuer: between, commonName }).pem + between.pem, '400 CERTIFICATE_FAILED_VALIDATION'],
    ]
    for (const [pem, expected] of bad) assert.equal(summarize(await verify(app, ca, { pem })), expected)
    for (const type of ['application/x-pem-file', 'text/html', '']) {
      assert.equal(summarize(await verify(app, ca, { type })), '415 COULD_NOT_VALIDATE Content-Type', type)
    }
    assert.equal(summarize(await verify(app, ca, { pem: '', type: 'application/json' })), '400 COULD_NOT_PARSE_BODY')
    assert.equal((await caOf(app, ca.id)).isVerified, false)
    assert.equal(summarize(await verify(app, ca, { type: 'text/plain; charset=utf-8' })), '200')
    const verified = await caOf(app, ca.id)
    assert.deepEqual([verified.isVerified, 'verify' in verified._links], [true, false])
    for (const pem of ['', 'x']) assert.equal(summarize(await verify(app, ca, { pem })), '409 CA_ALREADY_VERIFIED')
    const second = await makeCa(app, { isVerified: false })
    assert.equal(summarize(await verify(app, second, { type: 'application/json' })), '200')
    assert.equal(summarize(await verify(app, { ...second, id: 'no-such-id' }, { pem: 'x' })), '404 NOT_FOUND')
    const old = await makeCa(app, { isVerified: false, options: past })
    assert.equal(summarize(await verify(app, old)), '400 CERTIFICATE_FAILED_VALIDATION', 'an expired CA')
  })

  await t.test('W-85 the JWT of a CA names it and verifies with the server certificate', async () => {
    const { id } = await makeCa(app, { isVerified: false, isAutoCaEnrollmentEnabled: false })
    for (const accept of ['application/jwt', 'application/json', '*/*']) {
      const reply = await app.admin('GET', `${CAS}/${id}/jwt`, undefined, { headers: { accept } })
      assert.deepEqual([reply.status, reply.headers['content-type']], [200, 'application/jwt'])
      const { header, claims } = decodeJwt(reply.text)
      assert.equal(header.kid, serverIdentity.fingerprint)
      const iss = 'https://127.0.0.1:1280/'
      assert.deepEqual(claims, { iss, sub: id, aud: ['openziti-enroller'], jti: id, em: 'ca', ctrls: null })
    }
    const html = await app.admin('GET', `${CAS}/${id}/jwt`, undefined, { headers: { accept: 'text/html' } })
    assert.equal(html.status, 406)
    assert.ok(!('jwt' in (await caOf(app, id))._links))
  })
})
