import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { comparableUrl, MAX_PROOF_LENGTH, readProof } from '@countersign/core'
import type { FuzzTarget } from '../fuzz-target.ts'
import { createMutator } from '../mutate.ts'
import { JSON_WORDS } from './json-target.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const HEADERS = [
  JSON.stringify({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) }),
  '{"typ":"dpop+jwt","alg":"EdDSA","jwk":{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}}',
].map((text) => Buffer.from(text))
const CLAIMS = [
  '{"jti":"a","htm":"POST","htu":"https://controller.example/edge/client/v1/authenticate","iat":1790000000,"ath":"fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo","nonce":"s1.x"}',
  '{"jti":"b","htm":"GET","htu":"https://[::1]:1280/a%2fb?c#d","iat":1.5}',
].map((text) => Buffer.from(text))
const HEADER_WORDS = [
  '"typ":"JWT",',
  '"alg":"none",',
  '"alg":"HS256",',
  '"crit":["x"],',
  '"jwk":{"kty":"oct","k":"AAAA"},',
  '"d":"AAAA",',
  '"crv":"P-384",',
  '"x":"AA",',
  '"kty":"RSA","n":"AQAB","e":"AQAB",',
  ...JSON_WORDS,
]
const CLAIM_WORDS = [
  '"htu":"data:x",',
  '"htu":"https://a@b/",',
  '"iat":1e400,',
  '"jti":"",',
  '"nonce":7,',
  ...JSON_WORDS,
]
const PROOF_WORDS = ['.', '..', ',', '=', 'eyJ', 'e30', ' ', 'A']

const encode = (bytes: Buffer): string => bytes.toString('base64url')
const signed = (header: Buffer, claims: Buffer): Buffer => {
  const input = `${encode(header)}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return Buffer.from(`${input}.${encode(signature)}`)
}
const PROOFS = HEADERS.flatMap((header) => CLAIMS.map((claims) => signed(header, claims)))
const SIGNATURE = encode(Buffer.alloc(64, 7))

/** The reader of DPoP proofs. One that is read has a public key with the thumbprint of its members, and claims of the right types. */
export const proofTarget: FuzzTarget = {
  name: 'proof',
  createInputs: (random) => {
    const nextProof = createMutator(random, {
      corpus: PROOFS,
      dictionary: PROOF_WORDS,
      maxLength: MAX_PROOF_LENGTH + 64,
    })
    const nextHeader = createMutator(random, { corpus: HEADERS, dictionary: HEADER_WORDS, maxLength: 2048 })
    const nextClaims = createMutator(random, { corpus: CLAIMS, dictionary: CLAIM_WORDS, maxLength: 2048 })
    const generators = [
      () => nextProof().toString('latin1'),
      () => `${encode(nextHeader())}.${encode(random.pick(CLAIMS))}.${SIGNATURE}`,
      () => `${encode(random.pick(HEADERS))}.${encode(nextClaims())}.${SIGNATURE}`,
    ]
    return () => random.pick(generators)()
  },
  accepts: (input) => {
    const text = input.toString()
    const reading = readProof(text)
    if (!reading.ok) {
      assert.ok(reading.detail.length > 0 && reading.detail.length < 300)
      return false
    }
    const { key, jti, htm, htu, iat, ath, nonce, jws } = reading.proof
    assert.ok(text.length <= MAX_PROOF_LENGTH)
    assert.ok(jti !== '' && htm !== '' && htu !== '' && Number.isFinite(iat))
    for (const optional of [ath, nonce]) assert.ok(optional === undefined || optional !== '')
    assert.equal(key.keyObject.type, 'public')
    const { crv, e, kty, n, x, y } = key.keyObject.export({ format: 'jwk' })
    const thumbprint = createHash('sha256').update(JSON.stringify({ crv, e, kty, n, x, y })).digest('base64url')
    assert.equal(key.thumbprint, thumbprint)
    assert.deepEqual(key.algs, [jws.untrustedHeader.alg])
    const url = comparableUrl(htu)
    if (url !== undefined) assert.equal(comparableUrl(url), url)
    return true
  },
}
