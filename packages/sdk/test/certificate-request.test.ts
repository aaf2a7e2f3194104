import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { createCertificateRequest, createKeyPair, exportPrivateKey, readEnrollmentTicket } from '@countersign/sdk'
import 'reflect-metadata'
import { Pkcs10CertificateRequest } from '@peculiar/x509'

test('a certificate request verifies with its own key, for any leading bytes of the signature', async () => {
  for (let round = 0; round < 20; round++) {
    const keys = await createKeyPair()
    const request = new Pkcs10CertificateRequest(await createCertificateRequest(keys, 'ünï'))
    assert.equal(await request.verify(), true)
    assert.equal(request.subject, 'CN=ünï')
    const own = await crypto.subtle.exportKey('spki', keys.publicKey)
    assert.deepEqual(Buffer.from(request.publicKey.rawData), Buffer.from(own))
  }
})

test('a key is exported as PKCS #8, unless it is not extractable', async () => {
  const keys = await createKeyPair()
  const key = createPrivateKey(await exportPrivateKey(keys))
  const own = Buffer.from(await crypto.subtle.exportKey('spki', keys.publicKey))
  assert.deepEqual(createPublicKey(key).export({ type: 'spki', format: 'der' }), own)
  const unextractable = await createKeyPair({ extractable: false })
  await assert.rejects(exportPrivateKey(unextractable))
  assert.match(await createCertificateRequest(unextractable), /BEGIN CERTIFICATE REQUEST/)
})

test('a text that is not an enrollment JWT is refused', () => {
  for (const text of ['', 'a.b.c', 'e.e30.x']) {
    assert.throws(() => readEnrollmentTicket(text), { code: 'BAD_CREDENTIALS' }, text)
  }
  const claims = Buffer.from(JSON.stringify({ iss: 'https://c.example', em: 'ott', jti: 't', sub: 'i', exp: 60 }))
  const ticket = readEnrollmentTicket(`e.${claims.toString('base64url')}.x`)
  assert.deepEqual([ticket.token, ticket.method, ticket.expiresAt?.getTime()], ['t', 'ott', 60_000])
})
