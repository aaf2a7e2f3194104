import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signerFromBody } from '@countersign/core'
import { makeTestCertificate } from '@countersign/testkit'
import { createKeyDescriber } from '../../src/http/management/ext-jwt-signer-key-status.ts'
import type { StoredSigner } from '../../src/store/signer-row.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

function stored(fingerprint: string, certPem: string): StoredSigner {
  const settings = signerFromBody({ name: 'n', enabled: true, issuer: 'i', audience: 'a', certPem })
  const dates = { notBefore: Date.parse('2020-01-01T00:00:00Z'), notAfter: Date.parse('2040-01-01T00:00:00Z') }
  const marks = { id: 'x', writtenByAdmin: true, revision: 1, createdAt: 0, updatedAt: 0 }
  return { ...settings, ...marks, certificate: { fingerprint, commonName: '', ...dates } }
}

test('D18 a certificate is read once, and remembered by its fingerprint', () => {
  const describeKeys = createKeyDescriber()
  const first = describeKeys(stored('f1', makeTestCertificate().pem), undefined, NOW)
  assert.equal(first.keys[0]?.kid, 'f1')
  // Unreadable now, but it is not read again.
  assert.deepEqual(describeKeys(stored('f1', 'unreadable'), undefined, NOW), first)
  assert.notDeepEqual(describeKeys(stored('f2', makeTestCertificate().pem), undefined, NOW).keys, first.keys)
})

test('H-09 a stored certificate that is no longer accepted leaves the signer visible, with a warning', () => {
  const status = createKeyDescriber()(stored('f1', 'unreadable'), undefined, NOW)
  assert.equal(status.source, 'certificate')
  assert.deepEqual(status.keys, [])
  assert.ok(status.warnings[0]?.includes('no token verifies'))
})
