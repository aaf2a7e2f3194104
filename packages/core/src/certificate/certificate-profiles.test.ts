import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getTestKeyPair } from '@countersign/testkit'
import { CERTIFICATE_PROFILES, keyUsageFor } from './certificate-profiles.ts'

/** Bit numbers of RFC 5280 section 4.2.1.3. */
const [DIGITAL_SIGNATURE, KEY_ENCIPHERMENT] = [0, 2]

test('only the RSA keys of clients may also encrypt keys', () => {
  const [rsa, ec] = [getTestKeyPair('rsa2048').publicKey, getTestKeyPair('ec256').publicKey]
  const { client, tlsServer } = CERTIFICATE_PROFILES
  assert.deepEqual(keyUsageFor(client, rsa), [DIGITAL_SIGNATURE, KEY_ENCIPHERMENT])
  assert.deepEqual(keyUsageFor(client, ec), [DIGITAL_SIGNATURE])
  assert.deepEqual(keyUsageFor(tlsServer, rsa), [DIGITAL_SIGNATURE])
})
