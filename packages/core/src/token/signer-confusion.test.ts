import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey, mintKeyFrom } from '@countersign/testkit'
import { buildCertificateKey } from '../key/certificate-key.ts'
import type { SignerKeys } from '../key/signer-key.ts'
import { SignerIndex } from '../signer/signer-index.ts'
import { untrustedIssuerAndAudience } from './jws.ts'
import { readJws } from './read-jws.ts'
import { refuseWithoutSigner } from './refuse-without-signer.ts'
import { VerifiedTokenCache } from './verified-token-cache.ts'
import {
  AUDIENCE,
  assertAccepted,
  assertRefused,
  ISSUER,
  KEY,
  KEYS,
  keysOf,
  NOW_MS,
  SIGNER,
  signerWith,
  tokenWith,
} from './verify.fixture.ts'

const OTHER_ISSUER = 'https://idp.example/b'
const OTHER_KEY = mintKey('P-256', 'other')

test('D-03 refuses a valid token of one signer at another signer with a different audience', async () => {
  const other = signerWith({ id: 'signer-b', audience: 'api://other' })
  await assertAccepted(tokenWith())
  await assertRefused(tokenWith(), 'audience-mismatch', { signer: other })
  await assertAccepted(tokenWith({ aud: 'api://other' }), { signer: other })
})

test('D-04 refuses a token that names one issuer and is signed with the key of another', async () => {
  const other = signerWith({ id: 'signer-b', issuer: OTHER_ISSUER })
  const keys = keysOf(OTHER_KEY)
  const sameKid = keysOf({ ...OTHER_KEY.jwk, kid: KEY.kid })
  await assertAccepted(tokenWith({ iss: OTHER_ISSUER }, { key: OTHER_KEY }), { signer: other, keys })
  await assertRefused(tokenWith({ iss: OTHER_ISSUER }), 'kid-unknown', { signer: other, keys })
  await assertRefused(tokenWith({ iss: OTHER_ISSUER }), 'signature-invalid', { signer: other, keys: sameKid })
})

test('D-10 two signers that share a kid and a key do not affect each other', async () => {
  const other = signerWith({ id: 'signer-b', issuer: OTHER_ISSUER })
  const cache = new VerifiedTokenCache()
  for (let round = 0; round < 25; round += 1) {
    await assertAccepted(tokenWith({ jti: `${round}` }), { cache })
    await assertAccepted(tokenWith({ jti: `${round}`, iss: OTHER_ISSUER }), { signer: other, cache })
    await assertRefused(tokenWith({ jti: `${round}` }), 'issuer-mismatch', { signer: other, cache })
  }
})

test('D-12 pairs of issuer and kid, or issuer and audience, never collide', async () => {
  const first = signerWith({ id: '1', issuer: 'a', audience: 'b:c' })
  const second = signerWith({ id: '2', issuer: 'a:b', audience: 'c' })
  const index = new SignerIndex<typeof first>()
  index.put(first)
  index.put(second)
  assert.deepEqual(index.choose('a', ['b:c']).candidates, [first])
  assert.deepEqual(index.choose('a:b', ['c']).candidates, [second])
  assert.deepEqual(index.choose('a', ['c']).candidates, [])
  const cache = new VerifiedTokenCache()
  const token = tokenWith({ iss: 'a', aud: 'b:c' })
  await assertAccepted(token, { signer: first, cache })
  await assertRefused(token, 'issuer-mismatch', { signer: second, cache })
  const prefix = token.slice(0, token.lastIndexOf('.') + 20)
  await assertRefused(prefix + 'A'.repeat(token.length - prefix.length), 'signature-invalid', { signer: first, cache })
})

test('D9 an unknown issuer is distinguished from a known one with another audience', () => {
  const index = new SignerIndex<typeof SIGNER>()
  index.put(SIGNER)
  const choose = (claims: Record<string, unknown>) => {
    const reading = readJws(tokenWith(claims))
    assert.ok(reading.ok)
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(reading.jws)
    const choice = index.choose(untrustedIssuer, untrustedAudiences)
    return choice.candidates[0] ?? refuseWithoutSigner(reading.jws, choice.issuerKnown)
  }
  assert.equal(choose({}), SIGNER)
  assert.equal(choose({ aud: ['x', AUDIENCE] }), SIGNER)
  const refusals = [
    [{ iss: `${ISSUER}/` }, 'issuer-unknown', 'missing'],
    [{ iss: 7 }, 'issuer-unknown', 'missing'],
    [{ aud: 'x' }, 'audience-mismatch', 'invalid'],
    [{ aud: undefined }, 'audience-mismatch', 'invalid'],
  ] as const
  for (const [claims, reason, challenge] of refusals) {
    const verdict = choose(claims)
    assert.deepEqual('reason' in verdict && [verdict.reason, verdict.challenge], [reason, challenge])
  }
})

test('H-02 D11 a certificate verifies within its dates, both inclusive, and not outside them', async () => {
  const key = mintKeyFrom(KEY.privateKey, 'P-256', 'ab12')
  const keysWith = (notBeforeMs: number, notAfterMs: number): SignerKeys => {
    const reading = buildCertificateKey(key.publicKey, 'ab12', new Date(notBeforeMs), new Date(notAfterMs))
    assert.ok(reading.ok)
    return new Map([['ab12', reading.key]])
  }
  const token = tokenWith({}, { key })
  await assertAccepted(token, { keys: keysWith(NOW_MS, NOW_MS) })
  await assertRefused(token, 'certificate-not-valid-now', { keys: keysWith(NOW_MS - 2000, NOW_MS - 1) })
  await assertRefused(token, 'certificate-not-valid-now', { keys: keysWith(NOW_MS + 1, NOW_MS + 2000) })
  const cache = new VerifiedTokenCache()
  const keys = keysWith(NOW_MS - 1000, NOW_MS + 1000)
  await assertAccepted(token, { keys, cache })
  await assertAccepted(token, { keys, cache, nowMs: NOW_MS + 1000 })
  await assertRefused(token, 'certificate-not-valid-now', { keys, cache, nowMs: NOW_MS + 1001 })
})

test('H-06 a certificate signer matches exactly its kid', async () => {
  const reading = buildCertificateKey(KEY.publicKey, 'configured', new Date(0), new Date(NOW_MS * 2))
  assert.ok(reading.ok)
  const keys = new Map([['configured', reading.key]])
  await assertAccepted(tokenWith({}, { header: { kid: 'configured' } }), { keys })
  for (const kid of ['Configured', 'configured ', KEY.kid])
    await assertRefused(tokenWith({}, { header: { kid } }), 'kid-unknown', { keys })
  await assertRefused(tokenWith({}, { header: { kid: undefined } }), 'kid-missing', { keys })
  await assertAccepted(tokenWith(), { keys: KEYS })
})
