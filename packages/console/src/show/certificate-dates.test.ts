import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { makeTestAuthority } from '@countersign/testkit'
import { readCertificateDates } from './certificate-dates.ts'

test('the dates of a certificate are read from its PEM text', () => {
  const { pem } = makeTestAuthority()
  const { validFrom, validTo } = new X509Certificate(pem)
  const dates = readCertificateDates(pem)
  assert.equal(dates?.notBefore.getTime(), Date.parse(validFrom))
  assert.equal(dates?.notAfter.getTime(), Date.parse(validTo))
})

test('a text that is no certificate has no dates', () => {
  for (const text of ['', 'no PEM', '-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----']) {
    assert.equal(readCertificateDates(text), undefined)
  }
  assert.equal(readCertificateDates('-----BEGIN CERTIFICATE-----\nMAMCAQA=\n-----END CERTIFICATE-----'), undefined)
})
