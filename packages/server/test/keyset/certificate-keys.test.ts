import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { CertificateKeys } from '../../src/keyset/certificate-keys.ts'

test('a stored certificate that no longer serves is told of when it is first used, and once', () => {
  const told: string[] = []
  const certificates = new CertificateKeys((signerId, problem) => told.push(`${signerId}: ${problem}`))
  const signer = (id: string, certPem: string) => {
    return { id, enabled: true, revision: 1, jwksEndpoint: null, certPem, kid: 'key' }
  }
  const good = makeTestCertificate({ kind: 'ec256', commonName: 'good' }).pem
  assert.deepEqual([...certificates.keySetOf(signer('good', good)).keys.keys()], ['key'])
  assert.deepEqual(told, [])

  const cut = good.slice(0, good.length / 2)
  for (let times = 0; times < 2; times += 1) {
    const { keys, problem } = certificates.keySetOf(signer('bad', cut))
    assert.equal(keys.size, 0)
    assert.deepEqual(told, [`bad: ${problem}`])
  }
  assert.equal(certificates.keySetOf(signer('bad', good)).problem, undefined, 'another certificate is read anew')
  assert.equal(told.length, 1)
})
