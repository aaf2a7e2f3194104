import assert from 'node:assert/strict'
import { createHash, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { readLeafDigests, readLeafExpiry } from './certificate-digests.ts'
import { DerError } from './der-reader.ts'

const leaf = makeTestCertificate({ kind: 'ec256', commonName: 'leaf' })
const other = makeTestCertificate({ kind: 'ec256', commonName: 'other' })

test('the digests of a chain are those of its first certificate', () => {
  const expected = {
    fingerprint: createHash('sha1').update(leaf.der).digest('hex'),
    publicKeyDigest: createHash('sha256')
      .update(leaf.publicKey.export({ format: 'der', type: 'spki' }))
      .digest('base64url'),
  }
  assert.deepEqual(readLeafDigests(leaf.pem), expected)
  assert.deepEqual(readLeafDigests(leaf.pem + other.pem), expected)
  assert.notDeepEqual(readLeafDigests(other.pem + leaf.pem), expected)
})

test('the expiry of a chain is that of its first certificate', () => {
  const late = makeTestCertificate({ kind: 'ec256', commonName: 'late', notAfter: new Date('2050-01-02T03:04:05Z') })
  assert.equal(readLeafExpiry(late.pem + other.pem), Date.parse('2050-01-02T03:04:05Z'))
  assert.equal(readLeafExpiry(leaf.pem + late.pem), new X509Certificate(leaf.pem).validToDate.getTime())
  assert.throws(() => readLeafExpiry('junk'), DerError)
})

test('a text without a certificate has no digests', () => {
  const key = leaf.privateKey.export({ type: 'pkcs8', format: 'pem' })
  for (const text of ['', 'junk', String(key), leaf.pem.replace('BEGIN', 'BEGUN')]) {
    assert.throws(() => readLeafDigests(text), DerError, text.slice(0, 40))
  }
})
