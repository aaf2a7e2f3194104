import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { after, test } from 'node:test'
import { AppError, newId, readLeafDigests } from '@countersign/core'
import { makeTestCertificate } from '@countersign/testkit'
import { createCertificateAuthenticator } from '../../src/operations/authenticator/create-authenticator.ts'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { DATABASES, openTestStore, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

const meta = { actorId: 'system', now: 1_700_000_000_000 }

test('the digests of a chain are those of its leaf', () => {
  const [leaf, other] = [makeTestCertificate(), makeTestCertificate()]
  const x509 = new X509Certificate(leaf.pem)
  assert.deepEqual(readLeafDigests(leaf.pem + other.pem), {
    fingerprint: x509.fingerprint.replaceAll(':', '').toLowerCase(),
    publicKeyDigest: createHash('sha256')
      .update(x509.publicKey.export({ format: 'der', type: 'spki' }))
      .digest('base64url'),
  })
})

for (const database of DATABASES) {
  test(`J-09 a key belongs to one identity, also with concurrent requests, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
    await store.run(createFirstAdmin, admin, meta)
    const makeIdentity = async () => {
      const id = newId()
      const body = { name: id, type: 'Default', isAdmin: false } as const
      await store.run(createIdentity, { id, body }, meta)
      return id
    }
    const record = async (identityId: string, certificate: { pem: string }) => {
      const { fingerprint } = readLeafDigests(certificate.pem)
      const args = { id: newId(), identityId, certPem: certificate.pem, fingerprint }
      return store.run(createCertificateAuthenticator, args, meta).then(
        () => 'recorded',
        (error) => (error instanceof AppError ? error.code : error),
      )
    }
    const one = makeTestCertificate({ kind: 'ec256' })
    const sameKey = makeTestCertificate({ keyPair: one, commonName: 'same key' })
    const otherKey = makeTestCertificate({ kind: 'ec256' })
    const [alice, bob, carol] = [await makeIdentity(), await makeIdentity(), await makeIdentity()]

    const results = await Promise.all([record(alice, one), record(bob, sameKey), record(carol, one)])
    assert.deepEqual(results.toSorted(), ['CERT_IN_USE', 'CERT_IN_USE', 'recorded'])
    const identities = [alice, bob, carol]
    const winner = identities[results.indexOf('recorded')] ?? ''
    const loser = identities[results.indexOf('CERT_IN_USE')] ?? ''
    assert.equal(await record(loser, otherKey), 'recorded')
    const third = makeTestCertificate({ kind: 'ec256' })
    assert.equal(await record(loser, third), 'MAX_AUTHENTICATOR_METHODS_REACHED')
    const rows = await store.db
      .selectFrom('authenticators')
      .select('identity_id')
      .where('method', '=', 'cert')
      .execute()
    assert.deepEqual(rows.map((row) => row.identity_id).toSorted(), [winner, loser].toSorted())
  })
}
