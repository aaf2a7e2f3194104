import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeTestCertificate } from '@countersign/testkit'
import { buildApp } from './build-app.ts'

const SIGNERS = '/edge/management/v1/ext-jwt-signers'
const DAY_MS = 86_400_000

test('read-certificate shows the contents of a certificate as saving it would record them', async (t) => {
  const app = await buildApp(t)
  const notAfter = new Date(app.clock.now() + 10 * DAY_MS)
  const { pem } = await makeTestCertificate({ commonName: 'factory gateway', notAfter })
  const read = await app.admin('POST', `${SIGNERS}/read-certificate`, { certPem: pem })
  assert.equal(read.status, 200, read.text)
  const { keyKind, signatureAlgorithm, warnings, ...facts } = read.json.data
  assert.equal(warnings.length, 1)
  assert.ok(keyKind && signatureAlgorithm)
  const body = { name: 'factory', enabled: true, issuer: 'urn:factory', audience: 'overlay', certPem: pem, kid: 'k' }
  const { id } = (await app.admin('POST', SIGNERS, body)).json.data
  const { commonName, fingerprint, ...saved } = (await app.admin('GET', `${SIGNERS}/${id}`)).json.data
  assert.deepEqual(facts, { commonName, fingerprint, notBefore: saved.notBefore, notAfter: saved.notAfter })
  assert.equal(commonName, 'factory gateway')
})

test('an invalid certificate is refused with its field, as on saving, without repeating it', async (t) => {
  const app = await buildApp(t)
  const { pem } = await makeTestCertificate({ commonName: 'good' })
  for (const certPem of ['', 'gibberish', `${pem}${pem}`, pem.replaceAll('CERTIFICATE', 'PRIVATE KEY')]) {
    const { status, json, text } = await app.admin('POST', `${SIGNERS}/read-certificate`, { certPem })
    assert.deepEqual([status, json.error.code, json.error.cause.field], [400, 'INVALID_CERT_PEM', 'certPem'], text)
    assert.ok(!text.includes('gibberish'))
  }
  assert.equal((await app.admin('POST', `${SIGNERS}/read-certificate`, { certPem: pem })).status, 200)
})
