import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { AppError } from '@countersign/core'
import { buildForbiddenExtensions, makeTestCsr } from '@countersign/testkit'
import { type ClientCertificates, createClientCertificates } from '../../../src/platform/keys/client-certificates.ts'
import { createTestAuthority, type TestAuthority } from './test-authority.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const DAY_MS = 86_400_000

let authority: TestAuthority
let certificates: ClientCertificates

describe('client certificates', () => {
  before(async () => {
    authority = await createTestAuthority(new Date(NOW))
    certificates = createClientCertificates({ keys: () => authority, clock: { now: () => NOW }, clientDays: 365 })
  })

  it('D24 issues a certificate with the contents that the controller decides, whatever the request asks for', async () => {
    const { pem, publicKey } = makeTestCsr({
      subject: { commonName: 'admin', organization: 'system:masters' },
      extensions: buildForbiddenExtensions('spiffe://countersign-test/identity/other'),
    })
    const issued = await certificates.issue(pem, 'identity-1')
    const leaf = new X509Certificate(issued.certPem)
    assert.equal(leaf.subject, 'CN=identity-1')
    assert.equal(leaf.subjectAltName, 'URI:spiffe://countersign-test/identity/identity-1')
    assert.equal(leaf.ca, false)
    assert.deepEqual(leaf.keyUsage, ['1.3.6.1.5.5.7.3.2'])
    assert.ok(leaf.publicKey.equals(publicKey))
    assert.equal(issued.fingerprint, createHash('sha1').update(leaf.raw).digest('hex'))
    const info = publicKey.export({ format: 'der', type: 'spki' })
    assert.equal(issued.publicKeyDigest, createHash('sha256').update(info).digest('base64url'))
    assert.deepEqual([issued.notBefore, issued.notAfter], [NOW - 300_000, NOW + 365 * DAY_MS])
    assert.equal(issued.chainPem.split('BEGIN').length - 1, 2)
    assert.ok(issued.chainPem.startsWith(issued.certPem))
    assert.equal(issued.caPem, certificates.caPem())
  })

  it('D21 names an identity by its id, by the digest of a long one, and percent-encodes the SPIFFE name', async () => {
    const long = `auth0|${'x'.repeat(100)}`
    const short = new X509Certificate((await certificates.issue(makeTestCsr().pem, 'auth0|a@b:c')).certPem)
    assert.equal(short.subject, 'CN=auth0|a@b:c')
    assert.equal(short.subjectAltName, 'URI:spiffe://countersign-test/identity/auth0%7Ca%40b%3Ac')
    const digest = new X509Certificate((await certificates.issue(makeTestCsr().pem, long)).certPem)
    assert.equal(digest.subject, `CN=${createHash('sha256').update(long).digest('hex')}`)
    const exact = new X509Certificate((await certificates.issue(makeTestCsr().pem, 'y'.repeat(64))).certPem)
    assert.equal(exact.subject, `CN=${'y'.repeat(64)}`)
  })

  it('issues a session a certificate of twelve hours that names the session', async () => {
    const of = { identityId: 'id1', apiSessionId: 'session1', certificateId: 'certificate1' }
    const issued = await certificates.issueForSession(makeTestCsr().pem, of)
    const leaf = new X509Certificate(issued.certPem)
    assert.equal(leaf.subject, 'CN=id1')
    assert.equal(
      leaf.subjectAltName,
      'URI:spiffe://countersign-test/identity/id1/apiSession/session1/apiSessionCertificate/certificate1',
    )
    assert.equal(issued.notAfter, NOW + DAY_MS / 2)
  })

  it('J-08 refuses the key of a signer', async () => {
    const [signers, others] = [makeTestCsr(), makeTestCsr()]
    const withSignerCheck = createClientCertificates({
      keys: () => authority,
      clock: { now: () => NOW },
      clientDays: 365,
      isSignerKey: async (publicKey) => publicKey.equals(signers.publicKey),
    })
    await assert.rejects(withSignerCheck.issue(signers.pem, 'id1'), hasCode('COULD_NOT_PROCESS_CSR'))
    assert.ok(await withSignerCheck.issue(others.pem, 'id1'))
  })

  it('J-08 refuses a key of the certificate authority itself', async () => {
    const keys = [authority.rootKey, authority.intermediateKey].map((privateKey, index) => ({
      privateKey,
      publicKey: new X509Certificate(authority.authorities[index] ?? '').publicKey,
    }))
    for (const keyPair of keys) {
      await assert.rejects(certificates.issue(makeTestCsr({ keyPair }).pem, 'id1'), hasCode('COULD_NOT_PROCESS_CSR'))
    }
    assert.ok(await certificates.issue(makeTestCsr().pem, 'id1'))
  })

  it('J-19 is unavailable while the CA’s key is missing or its certificate has expired', async () => {
    const clock = { now: () => NOW }
    const keyless = createClientCertificates({
      keys: () => ({ ...authority, issuer: undefined }),
      clock,
      clientDays: 365,
    })
    const { pem } = makeTestCsr()
    await assert.rejects(keyless.issue(pem, 'id1'), hasCode('CA_UNAVAILABLE'))
    const late = { now: () => NOW + 3641 * DAY_MS }
    const expired = createClientCertificates({ keys: () => authority, clock: late, clientDays: 365 })
    await assert.rejects(expired.issue(pem, 'id1'), hasCode('CA_UNAVAILABLE'))
    assert.ok(await certificates.issue(pem, 'id1'))
  })

  it('uses the current key material', async () => {
    const next = await createTestAuthority(new Date(NOW))
    let keys = authority
    const following = createClientCertificates({ keys: () => keys, clock: { now: () => NOW }, clientDays: 1 })
    const { pem } = makeTestCsr()
    const first = new X509Certificate((await following.issue(pem, 'id1')).certPem)
    keys = next
    const second = new X509Certificate((await following.issue(pem, 'id1')).certPem)
    assert.ok(first.verify(authority.issuer.facts.publicKey) && !first.verify(next.issuer.facts.publicKey))
    assert.ok(second.verify(next.issuer.facts.publicKey))
    assert.deepEqual(following.authorities(), next.authorities)
  })
})

const hasCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code
