import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { proofsWith } from '../possession/possession.fixture.ts'
import { readJws } from './read-jws.ts'
import { VerifiedTokenCache } from './verified-token-cache.ts'
import {
  AUDIENCE,
  assertAccepted,
  assertRefused,
  ISSUER,
  KEY,
  KEYS,
  keysOf,
  NOW,
  NOW_MS,
  SIGNER,
  signerWith,
  tokenWith,
} from './verify.fixture.ts'
import { verifyToken } from './verify-token.ts'

test('a token that is presented repeatedly is verified twice, then gets the cached verdict', async () => {
  const cache = new VerifiedTokenCache()
  const token = tokenWith()
  const verdict = () => verifyToken(token, SIGNER, KEYS, NOW_MS + 1000, { cache })
  const first = await verdict()
  assert.equal(first.accepted, true)
  assert.equal(cache.size, 0)
  const second = await verdict()
  assert.notEqual(second, first)
  assert.equal(cache.size, 1)
  assert.equal(await verdict(), second)
})

test('tokens that are presented once are not cached', async () => {
  const cache = new VerifiedTokenCache()
  for (let jti = 0; jti < 100; jti += 1)
    assert.ok((await verifyToken(tokenWith({ jti }), SIGNER, KEYS, NOW_MS, { cache })).accepted)
  assert.equal(cache.size, 0)
})

test('a refused token is not cached', async () => {
  const cache = new VerifiedTokenCache()
  const refused = [
    tokenWith({ exp: NOW - 1, iat: undefined }),
    tokenWith({ aud: 'x' }),
    `${tokenWith().slice(0, -4)}AAAA`,
    'garbage',
    tokenWith({ sub: '' }),
  ]
  for (const token of refused) assert.equal((await verifyToken(token, SIGNER, KEYS, NOW_MS, { cache })).accepted, false)
  assert.equal(cache.size, 0)
  await assertAccepted(tokenWith(), { cache })
  assert.equal(cache.size, 1)
})

test('D-13 a changed setting, a removed, replaced or restricted key and the time take effect at once', async () => {
  const cache = new VerifiedTokenCache()
  const token = tokenWith({ nbf: NOW - 5 })
  await assertAccepted(token, { cache })
  await assertRefused(token, 'issuer-mismatch', { cache, signer: signerWith({ revision: 2, issuer: `${ISSUER}/b` }) })
  await assertRefused(token, 'required-claim-unmet', {
    cache,
    signer: signerWith({ revision: 3, requiredClaims: { '/azp': 'x' } }),
  })
  await assertRefused(token, 'kid-unknown', { cache, keys: new Map() })
  await assertRefused(token, 'signature-invalid', {
    cache,
    keys: keysOf({ ...mintKey('P-256', 'other').jwk, kid: KEY.kid }),
  })
  const key = KEYS.get(KEY.kid)
  assert.ok(key)
  await assertRefused(token, 'algorithm-not-allowed', {
    cache,
    keys: new Map([[KEY.kid, { ...key, algs: ['ES384'] }]]),
  })
  await assertAccepted(token, { cache, nowMs: (NOW + 600) * 1000 - 1 })
  await assertRefused(token, 'token-expired', { cache, nowMs: (NOW + 600) * 1000 })
  await assertAccepted(token, { cache, nowMs: (NOW - 5) * 1000 })
  await assertRefused(token, 'token-not-yet-valid', { cache, nowMs: (NOW - 5) * 1000 - 1 })
  await assertAccepted(token, { cache })
})

test('a verdict is cached per signer, while the parsed token is shared', async () => {
  const cache = new VerifiedTokenCache()
  const token = tokenWith({ aud: [AUDIENCE, 'api://other'] })
  const other = signerWith({ id: 'signer-b', audience: 'api://other' })
  await assertAccepted(token, { cache })
  await assertRefused(token, 'kid-unknown', { cache, signer: other, keys: new Map() })
  await assertAccepted(token, { cache, signer: other })
  const [first, second] = await Promise.all(
    [SIGNER, other].map((signer) => verifyToken(token, signer, KEYS, NOW_MS, { cache })),
  )
  assert.ok(first?.accepted && second?.accepted)
  assert.deepEqual([first.token.signerId, second.token.signerId], ['signer-a', 'signer-b'])
  assert.equal(cache.size, 1)
})

test('caches verdicts of a bounded number of signers for one token', async () => {
  const cache = new VerifiedTokenCache()
  const token = tokenWith()
  for (let id = 0; id < 20; id += 1) await assertAccepted(token, { cache, signer: signerWith({ id: `signer-${id}` }) })
  const reading = readJws(token)
  assert.ok(reading.ok)
  const remembered = Array.from({ length: 20 }, (_, id) =>
    cache.findVerdict(reading.jws.digest, signerWith({ id: `signer-${id}` }), KEYS, NOW_MS),
  )
  assert.equal(remembered.filter((verdict) => verdict !== undefined).length, 4)
})

test('evicts the least recently used token when there are too many tokens or characters', async () => {
  const tokens = Array.from({ length: 4 }, (_, jti) => tokenWith({ jti }))
  const length = Math.max(...tokens.map((token) => token.length))
  for (const limits of [
    { maxTokens: 3, maxCharacters: 1_000_000 },
    { maxTokens: 1000, maxCharacters: length * 3 },
  ]) {
    const cache = new VerifiedTokenCache(limits)
    const digestOf = (token: string): string => {
      const reading = readJws(token)
      assert.ok(reading.ok)
      return reading.jws.digest
    }
    const [a = '', b = '', c = '', d = ''] = tokens
    for (const token of [a, b, c, a, d]) await assertAccepted(token, { cache })
    assert.equal(cache.size, 3)
    assert.deepEqual(
      tokens.filter((token) => cache.findJws(digestOf(token)) === undefined),
      [b],
    )
  }
})

test('C-17 a certificate-bound token never gets a cached verdict', async () => {
  const cache = new VerifiedTokenCache()
  const certificate = 'x'.repeat(43)
  const token = tokenWith({ cnf: { 'x5t#S256': certificate } })
  await assertAccepted(token, { cache, proofs: proofsWith({ certificate }) })
  await assertRefused(token, 'certificate-not-sent', { cache })
  // Nor does one that is not bound, when it comes as if it were.
  const bearer = tokenWith({})
  for (let time = 0; time < 3; time++) await assertAccepted(bearer, { cache })
  await assertRefused(bearer, 'token-not-bound', { cache, proofs: proofsWith({ isDpop: true }) })
  await assertAccepted(bearer, { cache, proofs: proofsWith({}) })
})
