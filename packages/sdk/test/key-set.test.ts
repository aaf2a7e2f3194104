import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { calculateJwkThumbprint } from 'jose'
import { parseKeySet, readKeySet } from '../src/key-set.ts'

const KEYS = {
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ec: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  ed: generateKeyPairSync('ed25519'),
}
const PUBLIC = [KEYS.rsa.publicKey, KEYS.ec.publicKey, KEYS.ed.publicKey]
const spki = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()

test('public keys in PEM become a key set, each with its thumbprint as kid', async () => {
  const text = `# of the build service\n${PUBLIC.map(spki).join('\n').replaceAll('\n', '\r\n')}`
  const expected = PUBLIC.map(async (key) => {
    const jwk = key.export({ format: 'jwk' })
    return { kid: await calculateJwkThumbprint(jwk as never), use: 'sig', ...jwk }
  })
  assert.deepEqual(await readKeySet(text), { keys: await Promise.all(expected) })
})

test('a key set is taken as it is, and a single key is a set of one', async () => {
  const key = { ...KEYS.ec.publicKey.export({ format: 'jwk' }), kid: 'build-1', alg: 'ES384' }
  assert.deepEqual(await readKeySet(JSON.stringify({ keys: [key, key], other: 1 })), { keys: [key, key] })
  assert.deepEqual(await readKeySet(JSON.stringify(key)), { keys: [key] })
  for (const other of ['', 'null', '[]', '"keys"', '{"keys": {}}', '{"kty": 1}']) {
    assert.equal(parseKeySet(other), undefined, other)
    await assert.rejects(readKeySet(other), /neither public keys in PEM nor a key set/)
  }
})

test('a file without public keys is refused with the reason', async () => {
  const pkcs1 = KEYS.rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey
  const refused: [string, RegExp][] = [
    [KEYS.ec.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), /contains a private key/],
    [KEYS.ec.privateKey.export({ type: 'sec1', format: 'pem' }).toString(), /contains a private key/],
    [spki(KEYS.ec.publicKey) + KEYS.ed.privateKey.export({ type: 'pkcs8', format: 'pem' }), /contains a private key/],
    ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', /is a certificate/],
    ['-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n', /is a X509 CRL/],
    [pkcs1, /PKCS#1: convert it with/],
    [spki(other), /not of a supported type/],
    [spki(KEYS.ec.publicKey).slice(0, -20), /PEM is not complete/],
    ['-----BEGIN PUBLIC KEY-----\n!!\n-----END PUBLIC KEY-----\n', /base64 is not valid/],
  ]
  for (const [text, reason] of refused) await assert.rejects(readKeySet(text), reason)
})
