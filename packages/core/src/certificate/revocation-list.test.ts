import 'reflect-metadata'
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import * as peculiar from '@peculiar/x509'
import { buildSpiffeUri } from './alt-name.ts'
import { buildCertificate } from './build-certificate.ts'
import { buildDistributionPoint } from './build-extensions.ts'
import { readIssuerKeyId } from './certificate-extensions.ts'
import { planCertificate } from './certificate-plan.ts'
import { checkCertificate } from './check-certificate.ts'
import { createIssuer, issueCertificate, issueSelfSigned } from './issue-certificate.ts'
import { OID } from './object-identifiers.ts'
import { parseCertificate } from './parse-certificate.ts'
import { issueRevocationList, issuerKeyIdOf, type RevokedCertificate } from './revocation-list.ts'
import { type CertificateState, revocationReasonOf } from './revocation-reason.ts'
import { createSigner } from './sign-certificate.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const DAY_MS = 86_400_000
const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const sign = createSigner(keys.privateKey)
const root = await issueSelfSigned(
  {
    profile: 'rootCa',
    subject: { commonName: 'Test CA' },
    publicKey: keys.publicKey,
    altNames: [buildSpiffeUri('test')],
  },
  sign,
  new Date(NOW),
)
const issuer = createIssuer(root, sign)
const content = { number: 258, thisUpdate: NOW, nextUpdate: NOW + DAY_MS, revoked: [] as RevokedCertificate[] }

test('a revocation list is parsed and verified by an independent library', async () => {
  const revoked: RevokedCertificate[] = [
    { serial: '80ff', revokedAt: NOW - DAY_MS, reason: 'certificateHold' },
    { serial: '40aa', revokedAt: NOW - 1000, reason: 'superseded' },
  ]
  const list = new peculiar.X509Crl(await issueRevocationList({ ...content, revoked }, issuer))
  assert.ok(await list.verify({ publicKey: new peculiar.X509Certificate(root) }))
  assert.equal(list.issuer, 'CN=Test CA')
  assert.deepEqual([list.thisUpdate.getTime(), list.nextUpdate?.getTime()], [NOW, NOW + DAY_MS])
  assert.deepEqual(
    list.entries.map(({ serialNumber, revocationDate, reason }) => [serialNumber, revocationDate.getTime(), reason]),
    [
      ['80ff', NOW - DAY_MS, peculiar.X509CrlReason.certificateHold],
      ['40aa', NOW - 1000, peculiar.X509CrlReason.superseded],
    ],
  )
  const keyId = list.getExtension(peculiar.AuthorityKeyIdentifierExtension)?.keyId
  assert.equal(keyId, issuerKeyIdOf(issuer))
})

test('an empty list has no entries, and a list can have more entries than a call has arguments', async () => {
  assert.equal(new peculiar.X509Crl(await issueRevocationList(content, issuer)).entries.length, 0)
  const entry = { serial: 'ab'.repeat(16), revokedAt: NOW, reason: 'superseded' } as const
  const der = await issueRevocationList({ ...content, revoked: Array(150_000).fill(entry) }, issuer)
  assert.ok(der.length > 150_000 * 40)
})

test('a list whose signature does not verify is not published', async () => {
  const other = createSigner(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
  await assert.rejects(issueRevocationList(content, { ...issuer, sign: other }), /does not verify/)
})

test('a certificate names the address of its list and the key of its issuer, and no other address is signed', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const request = { profile: 'client', subject: { commonName: 'id' }, publicKey, altNames: [] } as const
  const revocationListUrl = 'https://controller.example/pki/crl?issuer=00'
  const leaf = parseCertificate(await issueCertificate({ ...request, revocationListUrl }, issuer, new Date(NOW)))
  assert.equal(readIssuerKeyId(leaf), issuerKeyIdOf(issuer))
  assert.ok(leaf.extensions.get(OID.crlDistributionPoints)?.value.includes(revocationListUrl))
  assert.equal(readIssuerKeyId({ extensions: new Map() }), undefined)
  const withoutKeyId = { critical: false, value: Buffer.from('3000', 'hex') }
  assert.equal(readIssuerKeyId({ extensions: new Map([[OID.authorityKeyIdentifier, withoutKeyId]]) }), undefined)

  const plan = planCertificate({ ...request, revocationListUrl }, issuer.facts, new Date(NOW))
  const check = (other: { revocationListUrl?: string }) => {
    const { revocationListUrl: _, ...without } = plan
    checkCertificate(buildCertificate(plan), { ...without, ...other }, new Date(NOW))
  }
  check({ revocationListUrl })
  assert.throws(() => check({ revocationListUrl: 'https://other.example' }), /distribution point/)
  assert.throws(() => check({}), /no other extension/)
  assert.ok(buildDistributionPoint(revocationListUrl).includes(revocationListUrl))
})

test('a held certificate is valid again when its identity is; other reasons are final', () => {
  const valid: CertificateState = { reason: null, hasAccess: true, hasAuthenticator: true, isCurrent: true }
  const cases: readonly [Partial<CertificateState>, ReturnType<typeof revocationReasonOf>][] = [
    [{}, null],
    [{ hasAuthenticator: undefined }, null],
    [{ hasAccess: false }, 'certificateHold'],
    [{ reason: 'certificateHold' }, null],
    [{ reason: 'certificateHold', hasAccess: false }, 'certificateHold'],
    [{ reason: 'certificateHold', hasAccess: undefined }, 'cessationOfOperation'],
    [{ hasAccess: undefined, hasAuthenticator: false }, 'cessationOfOperation'],
    [{ hasAuthenticator: false }, 'privilegeWithdrawn'],
    [{ hasAuthenticator: false, hasAccess: false }, 'privilegeWithdrawn'],
    [{ isCurrent: false }, 'superseded'],
    [{ isCurrent: false, hasAccess: false }, 'superseded'],
    [{ reason: 'superseded' }, 'superseded'],
    [{ reason: 'cessationOfOperation' }, 'cessationOfOperation'],
  ]
  for (const [change, expected] of cases) assert.equal(revocationReasonOf({ ...valid, ...change }), expected)
})
