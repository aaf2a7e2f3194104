import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MINT_ALGORITHMS, type MintKeyKind, mintKey, mintProof, thumbprintOfKey } from '@countersign/testkit'
import { exportJWK, generateKeyPair, importJWK, type JWK, jwtVerify, SignJWT } from 'jose'
import { secretDigest } from '../secret.ts'
import { NOW, NOW_MS } from '../token/verify.fixture.ts'
import { CLIENT_KEY, JKT, NONCE, OTHER_KEY, proofFor, requestFor, URL_OF_REQUEST } from './possession.fixture.ts'
import { MAX_PROOF_LENGTH } from './read-proof.ts'
import { findProofRefusal, type ProofRequest, refuseProof, verifyProof } from './verify-proof.ts'

const TOKEN = 'a-session-token'

const refusalOf = async (proof: string, request: Partial<ProofRequest> = {}, key = JKT) =>
  findProofRefusal(await verifyProof(proof, requestFor(TOKEN, request)), key)

/** The proofs of RFC 9449 sections 4.1 and 7.1. */
const RFC_HEADER =
  'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19'
const RFC_TOKEN_PROOF = `${RFC_HEADER}.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg`
const RFC_RESOURCE_PROOF = `${RFC_HEADER}.eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9.2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA`
const RFC_ACCESS_TOKEN = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU'
const RFC_JKT = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I'

test('C-19 the examples of RFC 9449 are accepted for their requests and key, and for no other', async () => {
  const anyNonce = { isNonceGood: () => true }
  const atTokenEndpoint = requestFor(undefined, {
    ...anyNonce,
    url: 'https://server.example.com/token',
    nowMs: 1_562_262_616_000,
  })
  assert.equal(findProofRefusal(await verifyProof(RFC_TOKEN_PROOF, atTokenEndpoint), RFC_JKT), undefined)
  const atResource = requestFor(RFC_ACCESS_TOKEN, {
    ...anyNonce,
    method: 'GET',
    url: 'https://resource.example.org/protectedresource',
    nowMs: 1_562_262_618_000,
  })
  assert.equal(findProofRefusal(await verifyProof(RFC_RESOURCE_PROOF, atResource), RFC_JKT), undefined)
  assert.equal(findProofRefusal(await verifyProof(RFC_RESOURCE_PROOF, atResource), JKT), 'proof-key-mismatch')
  const other = { ...atResource, tokenSha256: secretDigest('other') }
  assert.equal(findProofRefusal(await verifyProof(RFC_RESOURCE_PROOF, other), RFC_JKT), 'proof-token-mismatch')
})

test('C-19 refuses a proof for another method, URL, token, time or nonce, or of another key', async () => {
  assert.equal(await refusalOf(proofFor(TOKEN)), undefined)
  assert.equal(await refusalOf(proofFor(TOKEN), {}, thumbprintOfKey(OTHER_KEY)), 'proof-key-mismatch')
  assert.equal(await refusalOf(proofFor(TOKEN, { method: 'GET' })), 'proof-method-mismatch')
  assert.equal(await refusalOf(proofFor(TOKEN, { method: 'post' })), 'proof-method-mismatch')
  assert.equal(await refusalOf(proofFor(TOKEN), { url: undefined }), 'proof-url-mismatch')
  for (const url of [
    'https://other.example/edge/client/v1/authenticate',
    'http://controller.example/edge/client/v1/authenticate',
    'https://controller.example:8443/edge/client/v1/authenticate',
    'https://controller.example/edge/client/v1/Authenticate',
    'https://controller.example/edge/client/v1/authenticate/',
    'https://user@controller.example/edge/client/v1/authenticate',
    '/edge/client/v1/authenticate',
    'data:x',
  ]) {
    assert.equal(await refusalOf(proofFor(TOKEN, { url })), 'proof-url-mismatch', url)
  }
  assert.equal(await refusalOf(proofFor('other')), 'proof-token-mismatch')
  assert.equal(await refusalOf(proofFor(undefined)), 'proof-token-mismatch')
  for (const now of [NOW - 61, NOW + 61]) {
    assert.equal(await refusalOf(proofFor(TOKEN, { now })), 'proof-time-mismatch')
  }
  for (const now of [NOW - 60, NOW + 60]) assert.equal(await refusalOf(proofFor(TOKEN, { now })), undefined)
  assert.equal(await refusalOf(proofFor(TOKEN, { nonce: undefined })), 'proof-nonce-missing')
  assert.equal(await refusalOf(proofFor(TOKEN, { nonce: 'nonce-2' })), 'proof-nonce-missing')
  const sign = () => Buffer.alloc(64, 1)
  const unsigned = mintProof(
    { key: CLIENT_KEY, method: 'POST', url: URL_OF_REQUEST, token: TOKEN, nonce: NONCE, now: NOW },
    { sign },
  )
  assert.equal(await refusalOf(unsigned), 'proof-signature-invalid')
})

test('C-19 compares the URL without query and fragment, host and scheme without regard to case', async () => {
  for (const url of [
    `${URL_OF_REQUEST}?method=ext-jwt`,
    `${URL_OF_REQUEST}#x`,
    'HTTPS://Controller.EXAMPLE/edge/client/v1/authenticate',
    'https://controller.example:443/edge/client/v1/authenticate',
    'https://controller.example/edge/client/v1/%61uthenticate',
    'https://controller.example/edge/./client/v1/authenticate',
  ]) {
    assert.equal(await refusalOf(proofFor(TOKEN, { url })), undefined, url)
  }
  const encoded = { url: 'https://controller.example/a%2Fb' }
  assert.equal(await refusalOf(proofFor(TOKEN, { url: 'https://controller.example/a%2fb' }), encoded), undefined)
  assert.equal(
    await refusalOf(proofFor(TOKEN, { url: 'https://controller.example/a/b' }), encoded),
    'proof-url-mismatch',
  )
})

test('C-20 refuses proofs that are malformed, too long, of another type, or with a key that is not public', async () => {
  const { kid: _, use: __, ...jwk } = CLIENT_KEY.jwk
  const d = CLIENT_KEY.privateKey.export({ format: 'jwk' }).d
  const rsa = mintKey('RSA', 'client')
  const { e: ___, ...withoutExponent } = rsa.jwk
  const headers: readonly Record<string, unknown>[] = [
    { typ: 'JWT' },
    { typ: undefined },
    { jwk: undefined },
    { jwk: 'x' },
    { jwk: { ...jwk, d } },
    { jwk: { kty: 'oct', k: 'AAAA' } },
    { jwk: { ...jwk, alg: 'ES384' } },
    { jwk: { ...jwk, x: 'AAAA' } },
    { jwk: withoutExponent },
    { jwk: { ...jwk, crv: 'P-384' } },
    { jwk: { kty: 'OKP', crv: 'Ed25519', x: Buffer.alloc(32).toString('base64url') } },
    { alg: 'none' },
    { alg: 'HS256' },
    { alg: 'ES384' },
    { alg: 'toString' },
    { crit: ['x'] },
  ]
  for (const header of headers) {
    assert.equal(await refusalOf(proofFor(TOKEN, { header })), 'proof-malformed', JSON.stringify(header))
  }
  const claims: readonly Record<string, unknown>[] = [
    { jti: undefined },
    { jti: '' },
    { jti: 7 },
    { jti: 'x'.repeat(513) },
    { htm: undefined },
    { htu: ['x'] },
    { iat: undefined },
    { iat: String(NOW) },
    { ath: 7 },
    { nonce: 'x'.repeat(257) },
    { nonce: '' },
  ]
  for (const changed of claims) {
    assert.equal(await refusalOf(proofFor(TOKEN, { claims: changed })), 'proof-malformed', JSON.stringify(changed))
  }
  for (const proof of ['', 'x', '..', proofFor(TOKEN, { claims: { pad: 'x'.repeat(MAX_PROOF_LENGTH) } })]) {
    assert.equal(await refusalOf(proof), 'proof-malformed')
  }
  assert.equal(await refusalOf(proofFor(TOKEN, { claims: { pad: 'x' } })), undefined)
  assert.equal(findProofRefusal(refuseProof('proof-missing', null), JKT), 'proof-missing')
})

test('C-19 accepts every algorithm of the key table, and the largest RSA key', async () => {
  for (const [kind, algorithms] of Object.entries(MINT_ALGORITHMS)) {
    const key = mintKey(kind as MintKeyKind, 'client')
    for (const alg of algorithms) {
      const proof = mintProof(
        { key, method: 'POST', url: URL_OF_REQUEST, token: TOKEN, nonce: NONCE, now: NOW },
        { alg },
      )
      assert.equal(await refusalOf(proof, {}, thumbprintOfKey(key)), undefined, alg)
    }
  }
})

test('C-19 proofs of jose are accepted here, and ours by jose', async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  const claims = { jti: 'one', htm: 'POST', htu: URL_OF_REQUEST, ath: secretDigest(TOKEN), nonce: NONCE }
  const made = await new SignJWT(claims)
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .setIssuedAt(NOW)
    .sign(privateKey)
  const verdict = await verifyProof(made, requestFor(TOKEN))
  assert.equal(findProofRefusal(verdict, verdict.untrustedThumbprint ?? ''), undefined)
  const key = await importJWK(CLIENT_KEY.jwk as JWK, 'ES256')
  const { payload, protectedHeader } = await jwtVerify(proofFor(TOKEN), key, {
    typ: 'dpop+jwt',
    currentDate: new Date(NOW_MS),
  })
  assert.deepEqual([payload.htu, payload.ath, protectedHeader.alg], [URL_OF_REQUEST, secretDigest(TOKEN), 'ES256'])
})

test('C-21 a proof is the same one when key, token and jti are', async () => {
  const useOf = async (parts: Parameters<typeof proofFor>[1], token = TOKEN) =>
    (await verifyProof(proofFor(token, parts), requestFor(token))).use?.digest
  const claims = { jti: 'one' }
  const first = await useOf({ claims })
  assert.equal(first, await useOf({ claims, now: NOW + 5 }))
  for (const other of [await useOf({ claims: { jti: 'two' } }), await useOf({ claims, key: OTHER_KEY })]) {
    assert.notEqual(first, other)
  }
  assert.notEqual(first, await useOf({ claims }, 'other'))
  const { use } = await verifyProof(proofFor(TOKEN), requestFor(TOKEN))
  assert.ok((use?.expiresAtMs ?? 0) > NOW_MS + 120_000, 'for longer than the proof is accepted')
})
