import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getTestKeyPair, makeTestCertificate } from '@countersign/testkit'
import { AppError } from '../app-error.ts'
import { certificateKeyFacts } from './certificate-key-facts.ts'

test('D18 tells the algorithm and the thumbprint of a certificate by its key, whatever else is in it', () => {
  const keyPair = getTestKeyPair('rsa2048')
  const one = certificateKeyFacts(makeTestCertificate({ keyPair, commonName: 'one' }).pem)
  const two = certificateKeyFacts(makeTestCertificate({ keyPair, commonName: 'two' }).pem)
  assert.deepEqual(one, two)
  assert.equal(one.alg, 'RS256')
  assert.match(one.thumbprint, /^[A-Za-z0-9_-]{43}$/)
  assert.notEqual(certificateKeyFacts(makeTestCertificate().pem).thumbprint, one.thumbprint)
})

test('H-03 a certificate that is none is refused', () => {
  assert.throws(
    () => certificateKeyFacts('none'),
    (error) => error instanceof AppError && error.code === 'INVALID_CERT_PEM',
  )
})
