import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readKeySet } from '@countersign/core'
import { makeTestCertificate, mintKey, mintKeySet } from '@countersign/testkit'
import { buildApp, type TestApp } from '../http/build-app.ts'

const SIGNERS = '/edge/management/v1/ext-jwt-signers'
const DAY_MS = 86_400_000
const SIGNER = { enabled: true, audience: 'overlay' }

async function createSigner(app: TestApp, members: Record<string, unknown>): Promise<string> {
  const reply = await app.admin('POST', SIGNERS, { ...SIGNER, ...members })
  assert.equal(reply.status, 201, reply.text)
  return reply.json.data.id
}

/** The health events of a signer, once there are any. */
async function healthOf(app: TestApp, signerId: string) {
  for (let tries = 0; tries < 250; tries += 1) {
    const published = app.events('signerHealth').filter(({ external_jwt_signer_id: id }) => id === signerId)
    if (published.length > 0) return published
    await sleep(20)
  }
  return assert.fail('no event about the signer')
}

test('D11 an event warns of a certificate that expires within 30 days, and of no other', async (t) => {
  const app = await buildApp(t, { isAlone: 'controller' })
  const certificate = (days: number) =>
    makeTestCertificate({ kind: 'ec256', commonName: `c${days}`, notAfter: new Date(app.clock.now() + days * DAY_MS) })
  const later = await createSigner(app, {
    name: 'later',
    issuer: 'https://later.example',
    certPem: certificate(31).pem,
  })
  const soon = await createSigner(app, { name: 'soon', issuer: 'https://soon.example', certPem: certificate(29).pem })
  const [event, ...others] = await healthOf(app, soon)
  assert.deepEqual([event.event_type, others.length], ['certificate-ends', 0])
  assert.match(event.message, /^the certificate expires at 2/)
  const published = app.events('signerHealth')
  assert.ok(published.every(({ external_jwt_signer_id: id }) => id !== later))
})

test('events report keys that are left out of a set, and a provider that publishes a secret', async (t) => {
  const keySet = mintKeySet(mintKey('P-256'))
  const secret = { kty: 'oct', kid: 'shared', k: 'AAECAwQFBgcICQoLDA0ODw' }
  const text = JSON.stringify({ keys: [...keySet.keys, secret] })
  const fetchJwks = async () => ({ keySet: readKeySet(Buffer.from(text)), freshForMs: undefined })
  const app = await buildApp(t, { fetchJwks, isAlone: 'node' })
  const jwksEndpoint = 'https://idp.example/jwks'
  const id = await createSigner(app, { name: 'idp', issuer: 'https://idp.example', jwksEndpoint })
  const published = await healthOf(app, id)
  assert.deepEqual(published.map(({ event_type: type }) => type).toSorted(), ['keys-left-out', 'secret-published'])
  assert.ok(!JSON.stringify(published).includes(secret.k))
})
