import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { createIssuer, issueSelfSigned } from './issue-certificate.ts'
import { issueClientCertificate } from './issue-client-certificate.ts'
import { findLeafFault, readLeafCertificate } from './leaf-certificate.ts'
import { createSigner } from './sign-certificate.ts'

const NOW = new Date('2026-06-01T00:00:00Z')
const HOUR_MS = 3_600_000

const rootKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const sign = createSigner(rootKeys.privateKey)
const root = await issueSelfSigned(
  { profile: 'rootCa', subject: { commonName: 'root' }, publicKey: rootKeys.publicKey, altNames: [] },
  sign,
  NOW,
)
const issuer = createIssuer(root, sign)

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const publicKeyInfo = publicKey.export({ format: 'der', type: 'spki' })

function issue(identityId: string, path?: readonly string[]) {
  const key = { publicKey, publicKeyInfo }
  const request = { key, trustDomain: 'test-domain', identityId, lifetimeMs: HOUR_MS, ...(path ? { path } : {}) }
  return issueClientCertificate(request, issuer, NOW)
}

test('a client certificate has the key of the client, and the identity as name and SPIFFE id', async () => {
  const { der, commonName, notBefore, notAfter } = await issue('alice')
  const certificate = new X509Certificate(der)
  assert.equal(commonName, 'alice')
  assert.equal(certificate.subject, 'CN=alice')
  assert.equal(certificate.subjectAltName, 'URI:spiffe://test-domain/identity/alice')
  assert.deepEqual(certificate.publicKey.export({ format: 'der', type: 'spki' }), publicKeyInfo)
  assert.deepEqual([certificate.validFromDate, certificate.validToDate], [notBefore, notAfter])
  assert.equal(notAfter.getTime(), NOW.getTime() + HOUR_MS)
  const leaf = readLeafCertificate(der)
  assert.equal(leaf && findLeafFault(leaf, [root]), undefined)
})

test('the path is appended to the SPIFFE id', async () => {
  const { der } = await issue('alice', ['authenticator', 'one'])
  assert.equal(new X509Certificate(der).subjectAltName, 'URI:spiffe://test-domain/identity/alice/authenticator/one')
})

test('an id of more than 64 characters is replaced by its SHA-256 in the name only', async () => {
  const [longest, tooLong] = ['x'.repeat(64), 'x'.repeat(65)]
  assert.equal((await issue(longest)).commonName, longest)
  const { der, commonName } = await issue(tooLong)
  assert.equal(commonName, createHash('sha256').update(tooLong).digest('hex'))
  assert.equal(new X509Certificate(der).subjectAltName, `URI:spiffe://test-domain/identity/${tooLong}`)
})
