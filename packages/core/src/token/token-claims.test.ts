import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintToken } from '@countersign/testkit'
import { proofsWith } from '../possession/possession.fixture.ts'
import {
  AUDIENCE,
  assertAccepted,
  assertRefused,
  claimsWith,
  ISSUER,
  KEY,
  KEYS,
  NOW,
  NOW_MS,
  SIGNER,
  signerWith,
  tokenWith,
} from './verify.fixture.ts'
import { verifyToken } from './verify-token.ts'

/** A valid token with one claim given as JSON text, for values that JSON.stringify cannot produce. */
const tokenWithText = (name: string, text: string): string =>
  mintToken({
    key: KEY,
    rawClaims: `${JSON.stringify(claimsWith({ [name]: undefined })).slice(0, -1)},"${name}":${text}}`,
  })

test('C-01 refuses a token without exp', async () => {
  await assertAccepted(tokenWith())
  await assertRefused(tokenWith({ exp: undefined }), 'expiry-unusable')
})

test('C-02 C-08 expires a token at exactly exp plus the clock skew', async () => {
  for (const clockSkewSeconds of [0, 1, 60]) {
    const signer = signerWith({ clockSkewSeconds })
    await assertRefused(tokenWith({ exp: NOW - clockSkewSeconds - 1 }), 'token-expired', { signer })
    await assertRefused(tokenWith({ exp: NOW - clockSkewSeconds, iat: undefined }), 'token-expired', { signer })
    await assertAccepted(tokenWith({ exp: NOW - clockSkewSeconds + 1, iat: undefined }), { signer })
    const token = tokenWith({ exp: NOW, iat: undefined })
    await assertAccepted(token, { signer, nowMs: NOW_MS + clockSkewSeconds * 1000 - 1 })
    await assertRefused(token, 'token-expired', { signer, nowMs: NOW_MS + clockSkewSeconds * 1000 })
  }
  assert.throws(() => signerWith({ clockSkewSeconds: 61 }), TypeError)
  assert.throws(() => signerWith({ clockSkewSeconds: -1 }), TypeError)
  assert.throws(() => signerWith({ clockSkewSeconds: Number.NaN }), TypeError)
})

test('C-03 refuses an exp that is not a date', async () => {
  await assertAccepted(tokenWithText('exp', String(NOW + 600)))
  for (const text of [
    `"${NOW + 600}"`,
    'true',
    'null',
    `[${NOW + 600}]`,
    '{}',
    '1e300',
    '1e13',
    '9007199254740992',
    '-1',
    '0',
    '-0',
    '"NaN"',
    '""',
  ]) {
    await assertRefused(tokenWithText('exp', text), 'expiry-unusable')
  }
  for (const text of ['1e999', '-1e999', 'NaN']) await assertRefused(tokenWithText('exp', text), 'token-malformed')
})

test('C-04 accepts a fractional exp and expires at the fraction', async () => {
  const token = tokenWith({ exp: NOW + 9.5 })
  await assertAccepted(token)
  await assertAccepted(token, { nowMs: NOW_MS + 9499 })
  await assertRefused(token, 'token-expired', { nowMs: NOW_MS + 9500 })
})

test('C-05 limits the lifetime only for a signer with maxTokenAgeSeconds', async () => {
  const signer = signerWith({ maxTokenAgeSeconds: 3600 })
  await assertAccepted(tokenWith({ iat: NOW - 10, exp: NOW + 1_000_000 }))
  await assertAccepted(tokenWith({ iat: NOW - 10, exp: NOW + 3590 }), { signer })
  await assertRefused(tokenWith({ iat: NOW - 10, exp: NOW + 3591 }), 'lifetime-too-long', { signer })
  await assertRefused(tokenWith({ iat: undefined }), 'issued-at-unusable', { signer })
})

test('C-06 accepts a token from exactly nbf minus the clock skew', async () => {
  for (const clockSkewSeconds of [0, 60]) {
    const signer = signerWith({ clockSkewSeconds })
    await assertAccepted(tokenWith({ nbf: NOW + clockSkewSeconds }), { signer })
    await assertRefused(tokenWith({ nbf: NOW + clockSkewSeconds + 1 }), 'token-not-yet-valid', { signer })
    const token = tokenWith({ nbf: NOW })
    await assertAccepted(token, { signer, nowMs: NOW_MS - clockSkewSeconds * 1000 })
    await assertRefused(token, 'token-not-yet-valid', { signer, nowMs: NOW_MS - clockSkewSeconds * 1000 - 1 })
  }
  await assertAccepted(tokenWith({ nbf: 0 }))
  for (const nbf of [String(NOW), null, true, [NOW], -1, 1e300])
    await assertRefused(tokenWith({ nbf }), 'not-before-unusable')
  await assertRefused(tokenWithText('nbf', '-1e999'), 'token-malformed')
})

test('C-07 allows an iat one minute plus the clock skew ahead, and refuses an invalid iat', async () => {
  for (const clockSkewSeconds of [0, 30]) {
    const signer = signerWith({ clockSkewSeconds })
    await assertAccepted(tokenWith({ iat: NOW + 60 + clockSkewSeconds }), { signer })
    await assertRefused(tokenWith({ iat: NOW + 61 + clockSkewSeconds }), 'token-issued-in-future', { signer })
  }
  await assertAccepted(tokenWith({ iat: undefined }))
  await assertAccepted(tokenWith({ iat: NOW + 5, exp: NOW + 5 }))
  await assertRefused(tokenWith({ iat: NOW + 6, exp: NOW + 5 }), 'issued-at-unusable')
  for (const iat of [-1, String(NOW), null, {}, 1e300]) await assertRefused(tokenWith({ iat }), 'issued-at-unusable')
})

test('C-09 D-06 W-44 S1-5.1.1 compares the issuer exactly', async () => {
  await assertAccepted(tokenWith({ iss: ISSUER }))
  const issuers = [
    `${ISSUER}/`,
    'https://idp.example',
    'https://IDP.example/a',
    'https://idp.example:443/a',
    'https://idp.example/%61',
    'https://idp.example/',
    'https://idp.example/ab',
    `${ISSUER} `,
    ISSUER.toUpperCase(),
    'http://idp.example/a',
    [ISSUER],
    7,
    null,
    undefined,
    '',
    { iss: ISSUER },
  ]
  for (const iss of issuers) await assertRefused(tokenWith({ iss }), 'issuer-mismatch')
  const composed = signerWith({ issuer: 'https://idp.example/\u00e9' })
  await assertAccepted(tokenWith({ iss: 'https://idp.example/\u00e9' }), { signer: composed })
  await assertRefused(tokenWith({ iss: 'https://idp.example/e\u0301' }), 'issuer-mismatch', { signer: composed })
})

test('C-10 D8 S1-5.1.2 accepts an aud that equals the audience, or an array that contains it', async () => {
  for (const aud of [AUDIENCE, [AUDIENCE], ['other', AUDIENCE], [AUDIENCE, AUDIENCE]])
    await assertAccepted(tokenWith({ aud }))
})

test('C-11 D-03 D8 W-44 refuses any other audience', async () => {
  await assertAccepted(tokenWith({ aud: [AUDIENCE] }))
  const many = Array.from({ length: 101 }, (_, index) => `a${index}`)
  const audiences = [
    undefined,
    null,
    [],
    '',
    AUDIENCE.slice(0, -1),
    AUDIENCE.slice(1),
    `${AUDIENCE}x`,
    `${AUDIENCE} other`,
    `other ${AUDIENCE}`,
    [[AUDIENCE]],
    { 0: AUDIENCE },
    { [AUDIENCE]: 1 },
    7,
    true,
    AUDIENCE.toUpperCase(),
    ['other'],
    [AUDIENCE, 7],
    [AUDIENCE, null],
    [...many, AUDIENCE],
  ]
  for (const aud of audiences) await assertRefused(tokenWith({ aud }), 'audience-mismatch')
  const huge = Array.from({ length: 1001 }, () => 'a')
  await assertRefused(tokenWith({ aud: [...huge, AUDIENCE] }), 'token-malformed')
})

test('accepts exactly the additional audiences, and refuses all others', async () => {
  const signer = signerWith({ additionalAudiences: ['api://one', 'api://two'] })
  for (const aud of [AUDIENCE, 'api://one', ['other', 'api://two'], ['api://one', AUDIENCE]])
    await assertAccepted(tokenWith({ aud }), { signer })
  for (const aud of ['api://one/', 'API://one', 'api://one or api://two', ['other'], [['api://one']], {}, undefined])
    await assertRefused(tokenWith({ aud }), 'audience-mismatch', { signer })
  await assertRefused(tokenWith({ aud: 'api://one' }), 'audience-mismatch')
  assert.throws(() => signerWith({ additionalAudiences: ['a', ''] }), TypeError)
})

test('C-12 a signer without audience or issuer cannot be used', () => {
  assert.equal(signerWith({ audience: 'a' }).audience, 'a')
  assert.throws(() => signerWith({ audience: '' }), TypeError)
  assert.throws(() => signerWith({ issuer: '' }), TypeError)
})

test('C-13 accepts only a string as the identity claim, and does not change it', async () => {
  for (const sub of ['alice', ' alice ', 'a', '0', 'x'.repeat(512)]) {
    const verdict = await verifyToken(tokenWith({ sub }), SIGNER, KEYS, NOW_MS)
    assert.equal(verdict.accepted && verdict.token.identityClaim, sub)
  }
  for (const sub of [
    undefined,
    null,
    '',
    ' ',
    '\u00a0\u3000',
    'x'.repeat(513),
    'x'.repeat(8000),
    7,
    0,
    true,
    {},
    ['alice'],
    [['alice']],
  ]) {
    await assertRefused(tokenWith({ sub }), 'identity-claim-unusable')
  }
})

test('the identity claim is the one that the signer selects', async () => {
  const nested = signerWith({ claimsProperty: '/user/mails/1' })
  await assertAccepted(tokenWith({ sub: undefined, user: { mails: ['a', 'b'] } }), { signer: nested })
  await assertRefused(tokenWith({ user: { mails: ['a'] } }), 'identity-claim-unusable', { signer: nested })
  const literal = signerWith({ claimsProperty: 'https://acme.example/uid' })
  await assertAccepted(tokenWith({ 'https://acme.example/uid': 'alice' }), { signer: literal })
  await assertRefused(tokenWith(), 'identity-claim-unusable', { signer: literal })
  for (const claimsProperty of ['__proto__', '/constructor/name', '/sub/length', '/sub/0', 'toString']) {
    await assertRefused(tokenWith(), 'identity-claim-unusable', { signer: signerWith({ claimsProperty }) })
  }
})

test('C-16 refuses a token without a required claim', async () => {
  const signer = signerWith({ requiredClaims: { '/azp': ['client-1', 'client-2'], '/groups': 'staff' } })
  await assertAccepted(tokenWith({ azp: 'client-2', groups: ['x', 'staff'] }), { signer })
  await assertAccepted(tokenWith({ azp: 'client-1', groups: 'staff' }), { signer })
  for (const claims of [
    {},
    { azp: 'client-3', groups: 'staff' },
    { azp: 'client-1' },
    { azp: 'client-1', groups: [] },
    { azp: 'client-1', groups: [['staff']] },
    { azp: 'CLIENT-1', groups: 'staff' },
  ]) {
    await assertRefused(tokenWith(claims), 'required-claim-unmet', { signer })
  }
  const patterned = signerWith({ requiredClaims: { ref: { glob: 'refs/heads/*' } } })
  await assertAccepted(tokenWith({ ref: 'refs/heads/main' }), { signer: patterned })
  await assertRefused(tokenWith({ ref: 'refs/tags/v1' }), 'required-claim-unmet', { signer: patterned })
})

test('C-17 accepts a certificate-bound token only together with its certificate', async () => {
  const thumbprint = 'a'.repeat(43)
  const token = tokenWith({ cnf: { 'x5t#S256': thumbprint } })
  const proofs = proofsWith({ certificate: thumbprint })
  await assertAccepted(token, { proofs })
  await assertRefused(token, 'certificate-not-sent')
  await assertRefused(token, 'certificate-not-sent', { proofs: proofsWith({}) })
  await assertRefused(token, 'certificate-not-bound', { proofs: proofsWith({ certificate: 'b'.repeat(43) }) })
  await assertRefused(tokenWith({ cnf: { jkt: thumbprint } }), 'proof-missing', { proofs })
  for (const cnf of [{}, 'x', [thumbprint], { 'x5t#S256': null }, { 'x5t#S256': 'x' }, { jwk: {} }]) {
    await assertRefused(tokenWith({ cnf }), 'possession-not-proven', { proofs })
  }
})

test('selectors and required claims that a validated signer cannot have are errors', () => {
  assert.throws(() => signerWith({ claimsProperty: '/~' }), TypeError)
  assert.throws(() => signerWith({ requiredClaims: { a: [] } }), TypeError)
  const { claimsProperty, requiredClaims } = signerWith({ claimsProperty: '/~0', requiredClaims: { a: ['b'] } })
  assert.deepEqual([claimsProperty.segments, requiredClaims.length], [['~'], 1])
})
