import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CHECKS, displayValue, REFUSALS, type RefusalReason } from './verdict.ts'
import { AUDIENCE, ISSUER, KEY, KEYS, keysOf, NOW, NOW_MS, SIGNER, signerWith, tokenWith } from './verify.fixture.ts'
import { verifyToken } from './verify-token.ts'

const WITH_RULES = { acceptRule: 'claims.sub != "mallory"', attributeRules: ['claims.groups'] }
/** The checks of a token that is not bound to a key, of a signer that does not require it. */
const MADE = CHECKS.filter((name) => !/^(possession|certificate|proof|oneUse)/.test(name))
/** Rules are checks of the signers that have some. */
const MADE_WITHOUT_RULES = MADE.filter((name) => !name.endsWith('Rule') && !name.endsWith('Rules'))

const verdictOn = (token: string, continueAfterRefusal = false) =>
  verifyToken(token, SIGNER, KEYS, NOW_MS, { continueAfterRefusal })

test('an accepted token has passed all checks in order, and its verdict contains the verified data', async () => {
  const token = tokenWith()
  const verdict = await verdictOn(token)
  assert.ok(verdict.accepted)
  assert.deepEqual(
    verdict.checks.map(({ check }) => check),
    MADE_WITHOUT_RULES,
  )
  assert.ok(verdict.checks.every(({ pass }) => pass))
  const { claims, keyThumbprint, ...rest } = verdict.token
  assert.deepEqual(rest, {
    signerId: 'signer-a',
    identityClaim: 'alice',
    kid: KEY.kid,
    alg: 'ES256',
    expiresAtMs: (NOW + 600) * 1000,
    ruleAttributes: [],
  })
  assert.equal(claims.sub, 'alice')
  assert.equal(keyThumbprint, KEYS.get(KEY.kid)?.thumbprint)
})

test('C-03 a token whose exp has a fraction expires in the millisecond before', async () => {
  const verdict = await verdictOn(tokenWith({ exp: NOW + 600.123_456_7 }))
  assert.equal(verdict.accepted && verdict.token.expiresAtMs, (NOW + 600) * 1000 + 123)
})

test('a refused token has passed all checks except the last in the list', async () => {
  const cases: [string, string, RefusalReason][] = [
    ['x', 'format', 'token-malformed'],
    [tokenWith({ iss: 'x' }), 'issuer', 'issuer-mismatch'],
    [tokenWith({ aud: 'x' }), 'audience', 'audience-mismatch'],
    [tokenWith({}, { header: { kid: 'x' } }), 'kid', 'kid-unknown'],
    [tokenWith({}, { header: { alg: 'none' } }), 'key', 'algorithm-not-allowed'],
    [tokenWith({}, { sign: () => Buffer.alloc(64, 1) }), 'signature', 'signature-invalid'],
    [tokenWith({ exp: 1, iat: 0 }), 'expiry', 'token-expired'],
    [tokenWith({ nbf: NOW + 9 }), 'notBefore', 'token-not-yet-valid'],
    [tokenWith({ iat: NOW + 99 }), 'issuedAt', 'token-issued-in-future'],
    [tokenWith({ dept: 'x' }), 'requiredClaims', 'required-claim-unmet'],
    [tokenWith({ sub: 1 }), 'identityClaim', 'identity-claim-unusable'],
    [tokenWith({ sub: 'mallory' }), 'acceptRule', 'rule-refused'],
    [tokenWith({ groups: [7] }), 'attributeRules', 'rule-error'],
  ]
  assert.deepEqual(
    cases.map(([, check]) => check),
    MADE,
  )
  for (const [token, check, reason] of cases) {
    const requiredClaims = check === 'requiredClaims' ? { dept: 'it' } : null
    const verdict = await verifyToken(token, signerWith({ ...WITH_RULES, requiredClaims }), KEYS, NOW_MS)
    assert.ok(!verdict.accepted)
    assert.equal(verdict.reason, reason)
    assert.equal(verdict.challenge, REFUSALS[reason])
    assert.deepEqual(
      verdict.checks.map(({ check, pass }) => [check, pass]),
      MADE.slice(0, MADE.indexOf(check as 'format') + 1).map((name) => [name, name !== check]),
    )
  }
})

test('4.8 reports missing, invalid or expired as existing clients expect', async () => {
  const cases: [string, string][] = [
    ['garbage', 'missing'],
    [`${tokenWith()}==`, 'missing'],
    [tokenWith({}, { header: { alg: undefined } }), 'missing'],
    [tokenWith({ iss: 'https://unknown.example' }), 'missing'],
    [tokenWith({}, { header: { kid: undefined } }), 'invalid'],
    [tokenWith({}, { header: { kid: 7 } }), 'invalid'],
    [tokenWith({}, { header: { alg: 'HS256' } }), 'invalid'],
    [tokenWith({}, { header: { crit: ['x'] } }), 'invalid'],
    [tokenWith({ aud: undefined }), 'invalid'],
    [tokenWith({ exp: undefined }), 'invalid'],
    [tokenWith({ nbf: NOW + 60 }), 'invalid'],
    [tokenWith({ sub: undefined }), 'invalid'],
    [tokenWith({ exp: NOW - 1 }), 'expired'],
    [tokenWith({ exp: NOW - 1, nbf: NOW + 60 }), 'expired'],
    [tokenWith({ exp: NOW - 1 }, { sign: () => Buffer.alloc(64, 1) }), 'invalid'],
  ]
  assert.equal((await verdictOn(tokenWith())).accepted, true)
  for (const [token, challenge] of cases) {
    const verdict = await verdictOn(token)
    assert.equal(verdict.accepted === false && verdict.challenge, challenge, verdict.reason)
  }
})

test('continues after a refusal on request, with the first refusal as reason', async () => {
  const wrong = await verdictOn(tokenWith({ aud: 'x', exp: NOW - 1, sub: 7 }), true)
  assert.equal(wrong.reason, 'audience-mismatch')
  assert.deepEqual(
    wrong.checks.map(({ check }) => check),
    MADE_WITHOUT_RULES,
  )
  assert.deepEqual(
    wrong.checks.filter(({ pass }) => !pass).map(({ check }) => check),
    ['audience', 'expiry', 'identityClaim'],
  )
  const noKey = await verdictOn(tokenWith({}, { header: { kid: 'x' } }), true)
  assert.equal(noKey.reason, 'kid-unknown')
  assert.deepEqual(
    noKey.checks.map(({ check }) => check),
    MADE_WITHOUT_RULES.filter((name) => name !== 'key' && name !== 'signature'),
  )
  assert.equal((await verdictOn(tokenWith(), true)).accepted, true)
})

test('describes the expected and the received value of each check', async () => {
  const last = async (token: string, signer = SIGNER, keys = KEYS) =>
    (await verifyToken(token, signer, keys, NOW_MS)).checks.at(-1)
  assert.deepEqual(await last(tokenWith({ iss: `${ISSUER}/` })), {
    check: 'issuer',
    expected: ISSUER,
    received: `${ISSUER}/`,
    pass: false,
  })
  assert.deepEqual(await last(tokenWith({ aud: ['x', 'y'] })), {
    check: 'audience',
    expected: AUDIENCE,
    received: '["x","y"]',
    pass: false,
  })
  assert.deepEqual(await last(tokenWith({ aud: undefined })), {
    check: 'audience',
    expected: AUDIENCE,
    received: null,
    pass: false,
  })
  assert.deepEqual(await last(tokenWith({}, { header: { kid: 'x' } })), {
    check: 'kid',
    expected: `one of ${KEY.kid}`,
    received: 'x',
    pass: false,
  })
  const eleven = keysOf(...Array.from({ length: 11 }, (_, index) => ({ ...KEY.jwk, kid: `k${index}` })))
  assert.match((await last(tokenWith(), SIGNER, eleven))?.expected ?? '', /k9, …$/)
  assert.match((await last(tokenWith(), SIGNER, new Map()))?.expected ?? '', /none/)
  assert.deepEqual(await last(tokenWith({ exp: NOW - 1 })), {
    check: 'expiry',
    expected: 'after 2026-06-01T12:00:00.000Z',
    received: '2026-06-01T11:59:59.000Z',
    pass: false,
  })
  const required = signerWith({ requiredClaims: { '/groups': ['a', 'b'] } })
  assert.deepEqual(await last(tokenWith({ groups: ['c'] }), required), {
    check: 'requiredClaims',
    expected: '/groups is a or b',
    received: '["c"]',
    pass: false,
  })
})

test('truncates values, and never displays the token', async () => {
  assert.equal(displayValue(undefined), null)
  assert.equal(displayValue('x'.repeat(256))?.length, 256)
  assert.equal(displayValue('x'.repeat(9999))?.length, 257)
  assert.equal(displayValue(`${'x'.repeat(255)}😀`)?.isWellFormed(), true)
  const token = tokenWith({ sub: 'x'.repeat(5000) })
  const text = JSON.stringify((await verdictOn(token)).checks)
  assert.ok(text.length < 4000)
  for (const part of token.split('.')) assert.equal(text.includes(part), false)
})

test('does not verify the signature of a token that a cheaper check has refused', async () => {
  let asked = 0
  const key = KEYS.get(KEY.kid) ?? assert.fail()
  const watched = {
    ...key,
    get keyObject() {
      asked += 1
      return key.keyObject
    },
  }
  const keys = new Map([[KEY.kid, watched]])
  const foreign = await verifyToken(tokenWith({ iss: 'https://other.example' }), SIGNER, keys, NOW_MS)
  assert.deepEqual([foreign.reason, asked], ['issuer-mismatch', 0])
  const own = await verifyToken(tokenWith(), SIGNER, keys, NOW_MS)
  assert.deepEqual([own.reason, asked], ['accepted', 1])
})
