import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { test } from 'node:test'
import { createCertificateRequest, createKeyPair, exportPrivateKey, readEnrollmentTicket } from '@countersign/sdk'
import 'reflect-metadata'
import { Pkcs10CertificateRequest } from '@peculiar/x509'

test('a certificate request is signed by the key that it is for, however the numbers of its signature begin', async () => {
  for (let round = 0; round < 20; round++) {
    const keys = await createKeyPair()
    const request = new Pkcs10CertificateRequest(await createCertificateRequest(keys, 'ünï'))
    assert.equal(await request.verify(), true)
    assert.equal(request.subject, 'CN=ünï')
    const own = await crypto.subtle.exportKey('spki', keys.publicKey)
    assert.deepEqual(Buffer.from(request.publicKey.rawData), Buffer.from(own))
  }
})

test('a key is exported in the form that every tool reads, unless it was made to stay', async () => {
  const keys = await createKeyPair()
  const key = createPrivateKey(await exportPrivateKey(keys))
  const own = Buffer.from(await crypto.subtle.exportKey('spki', keys.publicKey))
  assert.deepEqual(createPublicKey(key).export({ type: 'spki', format: 'der' }), own)
  const staying = await createKeyPair({ extractable: false })
  await assert.rejects(exportPrivateKey(staying))
  assert.match(await createCertificateRequest(staying), /BEGIN CERTIFICATE REQUEST/)
})

test('what is no enrollment token is told as such', () => {
  for (const text of ['', 'a.b.c', 'e.e30.x']) {
    assert.throws(() => readEnrollmentTicket(text), { code: 'BAD_CREDENTIALS' }, text)
  }
  const claims = Buffer.from(JSON.stringify({ iss: 'https://c.example', em: 'ott', jti: 't', sub: 'i', exp: 60 }))
  const ticket = readEnrollmentTicket(`e.${claims.toString('base64url')}.x`)
  assert.deepEqual([ticket.token, ticket.method, ticket.expiresAt?.getTime()], ['t', 'ott', 60_000])
})
