import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, verify, X509Certificate } from 'node:crypto'
import { test } from 'node:test'
import { makeTestCertificate, type TestKeyKind } from '@countersign/testkit'
import { buildServerIdentity } from '../../../src/platform/keys/server-identity.ts'
import { createSignControllerJwt } from '../../../src/platform/keys/sign-controller-jwt.ts'

const CASES: readonly (readonly [TestKeyKind, string, string | null])[] = [
  ['ec256', 'ES256', 'sha256'],
  ['ec384', 'ES384', 'sha384'],
  ['ec521', 'ES512', 'sha512'],
  ['rsa2048', 'RS256', 'sha256'],
  ['ed25519', 'EdDSA', null],
]

test('the controller’s JWT verifies with the server certificate, whatever its kind of key', () => {
  for (const [kind, alg, hash] of CASES) {
    const certificate = makeTestCertificate({ kind })
    const leaf = new X509Certificate(certificate.pem)
    const signJwt = createSignControllerJwt(() => buildServerIdentity(leaf, certificate.privateKey))
    const [header = '', payload = '', signature = ''] = signJwt({ sub: 'alice' }).split('.')
    const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
    const kid = createHash('sha1').update(leaf.raw).digest('hex')
    assert.deepEqual(decode(header), { alg, kid, typ: 'JWT' })
    assert.deepEqual(decode(payload), { sub: 'alice' })
    const key = { key: leaf.publicKey, dsaEncoding: 'ieee-p1363' } as const
    const isGood = (text: string) => verify(hash, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
    assert.ok(isGood(`${header}.${payload}`), kind)
    assert.ok(!isGood(`${header}.${payload}x`), kind)
  }
})

test('a JWT is signed with the current certificate, and never with a key that JWTs do not support', () => {
  const certificates = [makeTestCertificate({ kind: 'ec256' }), makeTestCertificate({ kind: 'rsa2048' })]
  const identities = certificates.map(({ pem, privateKey }) =>
    buildServerIdentity(new X509Certificate(pem), privateKey),
  )
  let current = identities[0] ?? assert.fail()
  const signJwt = createSignControllerJwt(() => current)
  const kidOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString()).kid
  assert.equal(kidOf(signJwt({})), identities[0]?.fingerprint)
  current = identities[1] ?? assert.fail()
  assert.equal(kidOf(signJwt({})), identities[1]?.fingerprint)
  current = { ...current, key: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey }
  assert.throws(() => signJwt({}), /no JWT can be signed/)
})
