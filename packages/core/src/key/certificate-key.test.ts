import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { buildCertificateKey } from './certificate-key.ts'

test('D4 D11 a certificate key has its kid and dates, and an unsuitable key is refused with a reason', () => {
  const [notBefore, notAfter] = [new Date(1000), new Date(2000)]
  const { publicKey } = mintKey('Ed25519')
  const reading = buildCertificateKey(publicKey, 'ab12', notBefore, notAfter)
  assert.ok(reading.ok)
  const { kid, algs, keyObject } = reading.key
  assert.deepEqual(
    [kid, algs, keyObject, reading.key.notBefore, reading.key.notAfter],
    ['ab12', ['EdDSA'], publicKey, notBefore, notAfter],
  )
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey
  assert.equal(buildCertificateKey(weak, 'ab12', notBefore, notAfter).ok, false)
})
