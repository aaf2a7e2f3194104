import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { CertificateKeys } from '../../src/keyset/certificate-keys.ts'

test('a stored certificate that is no longer valid is reported at its first use, and once', () => {
  const reported: string[] = []
  const certificates = new CertificateKeys((signerId, refusal) => reported.push(`${signerId}: ${refusal}`))
  const signer = (id: string, certPem: string) => {
    return { id, enabled: true, revision: 1, jwksEndpoint: null, certPem, kid: 'key' }
  }
  const good = makeTestCertificate({ kind: 'ec256', commonName: 'good' }).pem
  assert.deepEqual([...certificates.keySetOf(signer('good', good)).keys.keys()], ['key'])
  assert.deepEqual(reported, [])

  const cut = good.slice(0, good.length / 2)
  for (let times = 0; times < 2; times += 1) {
    const { keys, refusal } = certificates.keySetOf(signer('bad', cut))
    assert.equal(keys.size, 0)
    assert.deepEqual(reported, [`bad: ${refusal}`])
  }
  assert.equal(certificates.keySetOf(signer('bad', good)).refusal, undefined, 'another certificate is read again')
  assert.equal(reported.length, 1)
})
