import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createTestKeyPair, makeTestAuthority, makeTestCertificate, type TestCertificate } from '@countersign/testkit'
import type { Call } from '../src/command.ts'
import { establishTrust } from '../src/net/establish-trust.ts'
import { shortLine } from '../src/printable.ts'

/** A server that presents its certificate and these after it. */
async function serve(t: TestContext, own: TestCertificate, ...others: readonly TestCertificate[]): Promise<string> {
  const cert = [own, ...others].map(({ pem }) => pem).join('')
  const key = own.privateKey.export({ format: 'pem', type: 'pkcs8' })
  const server = createServer({ cert, key }, (_request, response) => response.writeHead(404).end())
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.after(() => server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const fingerprintOf = ({ pem }: TestCertificate): string => new X509Certificate(pem).fingerprint256

test('Q-26 --fingerprint trusts the certificate that it names, whatever the server presents beside it', async (t) => {
  const [genuine, hostile] = ['controller CA', 'hostile CA'].map((commonName) =>
    makeTestAuthority({ commonName, keyPair: createTestKeyPair('ec256') }),
  )
  assert.ok(genuine && hostile)
  const trustedBy = async (address: string, fingerprint: string) =>
    establishTrust({ flags: { fingerprint } } as unknown as Call, address, undefined)
  const own = await serve(t, makeTestCertificate({ commonName: 'controller', issuer: genuine }), genuine)
  assert.equal(await trustedBy(own, fingerprintOf(genuine)), genuine.pem)
  const intercepted = await serve(
    t,
    makeTestCertificate({ commonName: 'controller', issuer: hostile }),
    genuine,
    hostile,
  )
  assert.equal(
    await trustedBy(intercepted, fingerprintOf(genuine)),
    genuine.pem,
    'to which its certificate does not chain',
  )
  await assert.rejects(trustedBy(own, fingerprintOf(hostile)), /does not have this fingerprint/)
})

test('Q-26 the subject of a certificate cannot show another fingerprint than the one above it', () => {
  const subject = `CN=Countersign CA${' '.repeat(60)}\n  SHA-256 ${'AA:'.repeat(31)}AA`
  const shown = shortLine(subject)
  assert.ok(shown.length <= 65 && !shown.includes('AA:'.repeat(20)), shown)
  assert.equal(shortLine('O=Example\nCN=Countersign CA'), 'O=Example CN=Countersign CA')
})
