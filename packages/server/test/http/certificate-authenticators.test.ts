import assert from 'node:assert/strict'
import { buildExtension, der, OID } from '@countersign/core'
import { makeTestCertificate } from '@countersign/testkit'
import { createTestAuthority, getTestAuthority } from '../platform/keys/test-authority.ts'
import { issueTo, makeHolder } from './client-certificates.fixture.ts'
import { summarize, testWithApp } from './ext-jwt-signers.fixture.ts'
import {
  AUTHENTICATORS,
  createIdentity,
  createPassword,
  IDENTITIES,
  identityOf,
  OWN_IDENTITY,
} from './identities.fixture.ts'

testWithApp('certificate authenticators', async (t, app) => {
  const record = (identityId: string, certPem: string, members: object = {}) =>
    app.admin('POST', AUTHENTICATORS, { method: 'cert', identityId, certPem, ...members })

  await t.test('one is recorded, shown, found by its fingerprint, and deleted', async () => {
    const identityId = await createIdentity(app)
    const { certPem, fingerprint } = await issueTo(app, identityId)
    const made = await record(identityId, certPem, { tags: { a: 'b' } })
    assert.equal(made.status, 201, made.text)
    const { id } = made.json.data
    const { createdAt, updatedAt, identity, ...shown } = (await app.admin('GET', `${AUTHENTICATORS}/${id}`)).json.data
    assert.deepEqual([createdAt, identity.id], [updatedAt, identityId])
    assert.deepEqual(shown, {
      _links: { self: { href: `./authenticators/${id}` }, identities: { href: `./identities/${identityId}` } },
      id,
      tags: { a: 'b' },
      identityId,
      method: 'cert',
      certPem,
      fingerprint,
      isIssuedByNetwork: true,
    })
    assert.deepEqual((await identityOf(app, identityId)).authenticators, { cert: { id, fingerprint } })
    const { username, password } = await createPassword(app, identityId)
    const session = await app.logIn(username, password)
    const own = await app.call('GET', `${OWN_IDENTITY}/authenticators?filter=method="cert"`, undefined, { session })
    assert.deepEqual([own.json.data.length, own.json.data[0].fingerprint], [1, fingerprint])
    for (const path of [AUTHENTICATORS, `${IDENTITIES}/${identityId}/authenticators`]) {
      const found = await app.admin('GET', `${path}?filter=certFingerprint="${fingerprint}"`)
      assert.deepEqual(
        found.json.data.map((row: { id: string }) => row.id),
        [id],
      )
    }
    assert.equal(summarize(await app.admin('DELETE', `${AUTHENTICATORS}/${id}`)), '200')
    assert.equal(summarize(await app.admin('GET', `${AUTHENTICATORS}/${id}`)), '404 NOT_FOUND')
    assert.equal((await record(identityId, certPem)).status, 201, 'a deleted certificate can be recorded again')
  })

  await t.test('J-23 exactly one client certificate of the controller’s own CA is accepted', async () => {
    const identityId = await createIdentity(app)
    const { certPem, key } = await issueTo(app, identityId)
    const usage = (...ids: string[]) =>
      buildExtension(OID.extendedKeyUsage, der.sequence(...ids.map((id) => der.oid(id))))
    const { issuer, intermediateKey } = await getTestAuthority()
    const { publicKey, name: subject } = issuer.facts
    const by = { publicKey, privateKey: intermediateKey, pem: '', der: issuer.certificate, subject }
    const twin = await createTestAuthority()
    const bad: readonly [string, string][] = [
      ['self-signed', makeTestCertificate({ kind: 'ec256', extensions: [usage(OID.clientAuth)] }).pem],
      ['of a CA with the same name', (await issueTo(app, identityId, { authority: twin })).certPem],
      ['without usage', makeTestCertificate({ kind: 'ec256', issuer: by }).pem],
      ['with an empty usage', makeTestCertificate({ kind: 'ec256', issuer: by, extensions: [usage()] }).pem],
      ['for servers', makeTestCertificate({ kind: 'ec256', issuer: by, extensions: [usage(OID.serverAuth)] }).pem],
      ['over a bad key', makeTestCertificate({ kind: 'rsa1024', issuer: by, extensions: [usage(OID.clientAuth)] }).pem],
      [
        'expired',
        makeTestCertificate({
          kind: 'ec256',
          issuer: by,
          extensions: [usage(OID.clientAuth)],
          notAfter: new Date('2021-01-01'),
        }).pem,
      ],
      ['two', certPem + certPem],
      ['with its key', certPem + key],
      ['none', 'nonsense'],
    ]
    for (const [what, pem] of bad) {
      const reply = await record(identityId, pem)
      assert.equal(summarize(reply), '400 INVALID_CERT_PEM certPem', what)
      assert.ok(!reply.text.includes('BEGIN'), what)
    }
    assert.equal(summarize(await record(identityId, '')), '400 COULD_NOT_VALIDATE certPem')
    assert.equal(summarize(await record('none', certPem)), '404 NOT_FOUND')
    const good = makeTestCertificate({ kind: 'ec256', issuer: by, extensions: [usage(OID.clientAuth)] }).pem
    assert.equal(summarize(await record(identityId, good)), '201')
  })

  await t.test(
    'J-09 D51 a certificate and a key belong to one authenticator, and an identity has one certificate',
    async () => {
      const holder = await makeHolder(app)
      const other = await createIdentity(app)
      assert.equal(summarize(await record(other, holder.certPem)), '409 CERT_IN_USE certPem')
      const sameKey = await issueTo(app, other, { keyPair: holder.keyPair })
      assert.equal(summarize(await record(other, sameKey.certPem)), '409 CERT_IN_USE certPem')
      const second = await issueTo(app, holder.id)
      assert.equal(summarize(await record(holder.id, second.certPem)), '409 MAX_AUTHENTICATOR_METHODS_REACHED method')
      assert.equal(summarize(await record(other, (await issueTo(app, other)).certPem)), '201')
    },
  )

  await t.test('PUT and PATCH change the tags but not the certificate, which its holder renews', async () => {
    const holder = await makeHolder(app)
    const other = await issueTo(app, holder.id)
    const one = `${AUTHENTICATORS}/${holder.authenticatorId}`
    for (const method of ['PUT', 'PATCH']) {
      const refused = [{ certPem: other.certPem }, { username: 'someone', password: 'secret' }, { password: 'secret' }]
      for (const body of refused) {
        assert.equal(
          summarize(await app.admin(method, one, body)),
          '409 CAN_NOT_UPDATE_AUTHENTICATOR',
          JSON.stringify(body),
        )
      }
      assert.equal(summarize(await app.admin(method, one, { tags: { [method]: 1 }, certPem: holder.certPem })), '200')
      const { tags, fingerprint } = (await app.admin('GET', one)).json.data
      assert.deepEqual([tags, fingerprint], [{ [method]: 1 }, holder.fingerprint])
    }
    const password = await createPassword(app, holder.id)
    const reply = await app.admin('PATCH', `${AUTHENTICATORS}/${password.id}`, { certPem: other.certPem })
    assert.equal(summarize(reply), '409 CAN_NOT_UPDATE_AUTHENTICATOR')
    const session = await app.logIn(password.username, password.password)
    const own = `${OWN_IDENTITY}/authenticators/${holder.authenticatorId}`
    const body = { currentPassword: password.password, password: 'other-password' }
    assert.equal(summarize(await app.call('PATCH', own, body, { session })), '409 CAN_NOT_UPDATE_AUTHENTICATOR')
  })

  await t.test('D35 only an administrator records a certificate for an administrator', async () => {
    const administrator = await createIdentity(app, { isAdmin: true })
    const plain = await createIdentity(app)
    const { session } = await app.makeIdentity({ permissions: ['identity'] })
    const recordFor = async (identityId: string) => {
      const { certPem } = await issueTo(app, identityId)
      return app.call('POST', AUTHENTICATORS, { method: 'cert', identityId, certPem }, { session })
    }
    assert.equal(summarize(await recordFor(administrator)), '401 UNAUTHORIZED')
    assert.equal(summarize(await recordFor(plain)), '201')
  })
})
