import assert from 'node:assert/strict'
import { sign, X509Certificate } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { createTestKeyPair, makeTestAuthority, makeTestCertificate, type TestCertificate } from '@countersign/testkit'
import type { CliError } from '../src/cli-error.ts'
import type { Call } from '../src/command.ts'
import { establishTrust } from '../src/net/establish-trust.ts'
import { isSignedBy } from '../src/net/is-signed-by.ts'
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
    establishTrust({ flags: { fingerprint } } as unknown as Call, address, { known: undefined })
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

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

/** A one-time token that the key of a certificate has signed. */
function signToken({ privateKey }: TestCertificate, { alg = 'ES256', hash = 'sha256' } = {}): string {
  const signed = `${encode({ alg })}.${encode({ iss: 'https://ctrl.example', em: 'ott', jti: 'x' })}`
  const key = { key: privateKey, dsaEncoding: 'ieee-p1363' as const }
  return `${signed}.${sign(hash, Buffer.from(signed), key).toString('base64url')}`
}

test('Q-30 the server whose key has signed the one-time token is trusted without a question, another one is not', async (t) => {
  const authority = makeTestAuthority({ commonName: 'controller CA' })
  const [own, other] = [1, 2].map(() => makeTestCertificate({ commonName: 'controller', issuer: authority }))
  assert.ok(own && other)
  const address = await serve(t, own, authority)
  const notices: string[] = []
  const enroll = (token: string, more: object = {}) => {
    const terminal = { debug: () => {}, notice: (line: string) => notices.push(line) }
    const call = { flags: {}, input: { isInteractive: false }, terminal, ...more } as unknown as Call
    const proof = { isSignedBy: (certificate: X509Certificate) => isSignedBy(token, certificate) }
    return establishTrust(call, address, { known: undefined, proof })
  }
  assert.equal(await enroll(signToken(own)), authority.pem)
  await assert.rejects(enroll(signToken(other)), (error: CliError) => {
    assert.deepEqual([error.exitCode, error.messages[1]], [4, 'the token was not signed by the key of this server'])
    return true
  })
  const declining = { flags: { yes: true }, input: { isInteractive: true, ask: async () => 'n' } }
  await assert.rejects(enroll(signToken(other), declining), /not trusted/)
  assert.match(notices.join('\n'), /not signed by the key of this server/)
  assert.equal(await enroll(signToken(own), declining), authority.pem, 'without a question')
  const agreeing = { ...declining, input: { isInteractive: true, ask: async () => 'y' } }
  assert.equal(await enroll(signToken(other), agreeing), authority.pem)
})

test('Q-30 a token is signed by a key only with the algorithm of the key', () => {
  const [ec, rsa] = (['ec256', 'rsa2048'] as const).map((kind) => makeTestCertificate({ kind }))
  assert.ok(ec && rsa)
  const [ofEc, ofRsa] = [ec, rsa].map(({ pem }) => new X509Certificate(pem))
  assert.ok(ofEc && ofRsa)
  const token = signToken(ec)
  const [header = '', payload = '', signature = ''] = token.split('.')
  assert.equal(isSignedBy(`${token}\n`, ofEc), true)
  assert.equal(isSignedBy(signToken(rsa, { alg: 'RS256' }), ofRsa), true)
  const hostile = [
    [token, ofRsa],
    [signToken(rsa, { alg: 'ES256' }), ofRsa],
    [signToken(ec, { alg: 'ES384', hash: 'sha384' }), ofEc],
    [`${encode({ alg: 'none' })}.${payload}.`, ofEc],
    [`${encode({ alg: 'HS256' })}.${payload}.${signature}`, ofEc],
    [`${encode({ alg: 'constructor' })}.${payload}.${signature}`, ofEc],
    [`${header}.${encode({ iss: 'https://other.example' })}.${signature}`, ofEc],
    [`${header}.${payload}.`, ofEc],
    [`${token}.x`, ofEc],
    ['garbage', ofEc],
  ] as const
  for (const [text, certificate] of hostile) assert.equal(isSignedBy(text, certificate), false, text)
})

test('Q-26 the subject of a certificate cannot show another fingerprint than the one above it', () => {
  const subject = `CN=Countersign CA${' '.repeat(60)}\n  SHA-256 ${'AA:'.repeat(31)}AA`
  const shown = shortLine(subject)
  assert.ok(shown.length <= 65 && !shown.includes('AA:'.repeat(20)), shown)
  assert.equal(shortLine('O=Example\nCN=Countersign CA'), 'O=Example CN=Countersign CA')
})
