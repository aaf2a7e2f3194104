import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestAuthority, makeTestCertificate, type TestCertificateOptions } from '@countersign/testkit'
import { formatPem } from '../certificate/pem.ts'
import { checkCaProof } from './check-ca-proof.ts'

const NOW = Date.parse('2026-06-01T00:00:00Z')
const PAST = { notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01') }
const TOKEN = 'yKf4MHUOG'

const issuer = makeTestAuthority({ commonName: 'Corp' })
const proof = (options: TestCertificateOptions = {}) =>
  makeTestCertificate({ issuer, commonName: TOKEN, ...options }).pem
const check = (pem: string, certPem = issuer.pem) => checkCaProof({ certPem, verificationToken: TOKEN }, pem, NOW)

test('W-85 M-28 a proof is signed by the CA itself, is current and has the token as common name', () => {
  check(proof())
  check(`text\n${proof()}${makeTestCertificate().pem}`, issuer.pem + makeTestAuthority().pem)
  check(makeTestAuthority({ issuer, commonName: TOKEN, usage: 'serverAuth' }).pem, issuer.pem)
  const other = makeTestAuthority({ commonName: 'Corp' })
  const expired = makeTestAuthority({ commonName: 'Corp', ...PAST })
  const refused: readonly (readonly [code: string, pem: string, certPem?: string])[] = [
    ['COULD_NOT_PARSE_BODY', 'no PEM'],
    ['COULD_NOT_PARSE_BODY', '-----BEGIN CERTIFICATE-----\n'.repeat(2_000)],
    ['EXPECTED_PEM_CERTIFICATE', formatPem('CERTIFICATE REQUEST', Buffer.alloc(8)) + proof()],
    ['COULD_NOT_PARSE_DER_BLOCK', formatPem('CERTIFICATE', Buffer.alloc(8))],
    ['COULD_NOT_PARSE_DER_BLOCK', '-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\n'],
    ['INVALID_COMMON_NAME', proof({ commonName: `${TOKEN}x` })],
    ['CERTIFICATE_FAILED_VALIDATION', proof({ issuer: other })],
    [
      'CERTIFICATE_FAILED_VALIDATION',
      proof({ issuer: { ...issuer, subject: other.subject, privateKey: other.privateKey } }),
    ],
    ['CERTIFICATE_FAILED_VALIDATION', makeTestCertificate({ commonName: TOKEN }).pem],
    ['CERTIFICATE_FAILED_VALIDATION', proof({ hash: 'sha1' })],
    ['CERTIFICATE_FAILED_VALIDATION', proof(PAST)],
    // Its key can take a second to parse, within the write transaction.
    ['CERTIFICATE_FAILED_VALIDATION', proof({ kind: 'ecExplicit' })],
    ['CERTIFICATE_FAILED_VALIDATION', proof({ issuer: expired }), expired.pem],
    ['CERTIFICATE_FAILED_VALIDATION', proof(), makeTestAuthority({ commonName: 'Corp' }).pem + issuer.pem],
  ]
  for (const [code, pem, certPem] of refused) assert.throws(() => check(pem, certPem), { code }, pem.slice(0, 80))
})
