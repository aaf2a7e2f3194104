import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { StaticKeys } from '../../src/keyset/static-keys.ts'

test('a stored certificate that is no longer valid is reported at its first use, and once', () => {
  const reported: string[] = []
  const certificates = new StaticKeys((signerId, refusal) => reported.push(`${signerId}: ${refusal}`))
  const signer = (id: string, certPem: string, revision = 1) => {
    return { id, enabled: true, revision, jwksEndpoint: null, certPem, kid: 'key' }
  }
  const good = makeTestCertificate({ kind: 'ec256', commonName: 'good' }).pem
  assert.deepEqual([...certificates.keySetOf(signer('good', good)).keys.keys()], ['key'])
  assert.deepEqual(reported, [])

  const cut = good.slice(0, good.length / 2)
  for (let times = 0; times < 2; times += 1) {
    const { keys, refusals } = certificates.keySetOf(signer('bad', cut))
    assert.equal(keys.size, 0)
    assert.deepEqual(reported, [`bad: ${refusals[0]}`])
  }
  assert.equal(certificates.keySetOf(signer('bad', good, 2)).refusals.length, 0, 'another certificate is read again')
  assert.equal(reported.length, 1)
})
