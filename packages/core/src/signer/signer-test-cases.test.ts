import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestCase } from '@countersign/contract/signer-test-case'
import { AppError } from '../app-error.ts'
import { signerFromBody } from './signer-settings.ts'
import { checkTestCases, requirePassedTestCases, runTestCases } from './signer-test-cases.ts'

const NOW = 1_800_000_000
const claims = {
  iss: 'https://idp.example',
  aud: 'overlay',
  sub: 'alice',
  exp: NOW + 600,
  iat: NOW,
  groups: ['b', 'a'],
}
const accepted = { outcome: 'accepted' } as const
const base: TestCase = { name: 'alice', claims, now: NOW, expect: accepted }

function signer(members: object = {}) {
  const body = { name: 'idp', enabled: true, issuer: 'https://idp.example', audience: 'overlay' }
  const jwksEndpoint = 'https://idp.example/jwks'
  return {
    id: 'signer',
    ...signerFromBody({ ...body, jwksEndpoint, enrollAttributeClaimsSelector: 'groups', ...members }),
  }
}

const run = (testCase: Partial<TestCase>, members: object = {}) =>
  runTestCases(signer(members), NOW * 1000, { cases: [{ ...base, ...testCase }] })

const received = (testCase: Partial<TestCase>, members: object = {}) => {
  const other = testCase.expect?.outcome === 'refused' ? accepted : ({ outcome: 'refused' } as const)
  return run({ ...testCase, expect: other }, members)[0]?.received
}

test('a case passes when the signer says what it expects', () => {
  const passing: readonly Partial<TestCase>[] = [
    {},
    { expect: { outcome: 'accepted', externalId: 'alice', attributes: ['a', 'b'] } },
    { expect: { outcome: 'accepted', attributes: ['b', 'a', 'a'] } },
    { claims: { ...claims, aud: 'other' }, expect: { outcome: 'refused' } },
    { claims: { ...claims, aud: 'other' }, expect: { outcome: 'refused', check: 'audience' } },
    { claims: { ...claims, exp: NOW - 1 }, expect: { outcome: 'refused', check: 'expiry' } },
    { header: { typ: 'logout+jwt' }, expect: { outcome: 'refused', check: 'format' } },
    { header: { typ: 'at+jwt', kid: 'any', alg: 'RS256' } },
    { claims: { ...claims, events: {} }, expect: { outcome: 'refused', check: 'format' } },
    { claims: { ...claims, sub: 7 }, expect: { outcome: 'refused', check: 'identityClaim' } },
    { now: new Date(NOW * 1000).toISOString() },
    { now: new Date((NOW + 601) * 1000).toISOString(), expect: { outcome: 'refused', check: 'expiry' } },
    { claims: { ...claims, groups: 7 }, expect: { outcome: 'accepted', attributes: [] } },
  ]
  const recent = { acceptRule: 'request.time - timestamp(claims.iat) < duration("5m")' }
  assert.deepEqual(run({}, recent), [], 'the time of the case is that of its request')
  assert.equal(run({ now: NOW + 301 }, recent).length, 1)
  const byMethod = { acceptRule: 'request.method == "POST"' }
  assert.deepEqual(run({ expect: { outcome: 'refused', check: 'acceptRule' } }, byMethod), [])
  for (const testCase of passing) assert.deepEqual(run(testCase), [], JSON.stringify(testCase))
})

test('a case fails with what it expects and what the signer says', () => {
  assert.deepEqual(run({ expect: { outcome: 'refused' } }), [
    {
      name: 'alice',
      expected: { outcome: 'refused' },
      received: { outcome: 'accepted', externalId: 'alice', attributes: ['a', 'b'] },
    },
  ])
  assert.deepEqual(run({ claims: { ...claims, iss: 'https://other.example' } })[0]?.received, {
    outcome: 'refused',
    check: 'issuer',
    reason: 'issuer-mismatch',
    text: 'expected https://idp.example; received https://other.example',
  })
  const failing: readonly Partial<TestCase>[] = [
    { expect: { outcome: 'accepted', externalId: 'bob' } },
    { expect: { outcome: 'accepted', attributes: ['a'] } },
    { expect: { outcome: 'accepted', attributes: [] } },
    { claims: { ...claims, aud: 'other' }, expect: { outcome: 'refused', check: 'issuer' } },
    { claims: { ...claims, exp: undefined } },
  ]
  for (const testCase of failing) assert.equal(run(testCase).length, 1, JSON.stringify(testCase))
  assert.match(received({ claims: { ...claims, groups: 7 } })?.text ?? '', /neither a string nor an array/)
})

test('the rules of the signer decide, and its claims', () => {
  const requiredClaims = { hd: 'example.com' }
  assert.equal(
    received({}, { requiredClaims })?.check ?? run({}, { requiredClaims })[0]?.received.check,
    'requiredClaims',
  )
  assert.deepEqual(run({ claims: { ...claims, hd: 'example.com' } }, { requiredClaims }), [])
  assert.equal(run({ expect: { outcome: 'accepted', externalId: 'a@b' } }, { claimsProperty: 'email' }).length, 1)
  const email = { claims: { ...claims, email: 'a@b' }, expect: { outcome: 'accepted', externalId: 'a@b' } } as const
  assert.deepEqual(run(email, { claimsProperty: 'email' }), [])
})

test('without a time the case is run at the time of the save', () => {
  const { now: _, ...untimed } = base
  const late = (NOW + 601) * 1000
  assert.deepEqual(runTestCases(signer(), NOW * 1000, { cases: [untimed] }), [])
  assert.equal(runTestCases(signer(), late, { cases: [untimed] }).length, 1)
  assert.deepEqual(runTestCases(signer(), late, { cases: [base] }), [])
})

test('a signer that fails its own cases is refused with all of them', () => {
  const testCases = [base, { ...base, name: 'bob', expect: { outcome: 'refused' } }]
  assert.doesNotThrow(() => requirePassedTestCases(signer({ testCases: [base] }), NOW * 1000))
  assert.doesNotThrow(() => requirePassedTestCases(signer(), NOW * 1000))
  assert.throws(
    () => requirePassedTestCases(signer({ testCases }), NOW * 1000),
    (error: AppError) => {
      assert.equal(error.code, 'TEST_CASE_FAILED')
      assert.ok(error.publicCause && 'failures' in error.publicCause)
      assert.deepEqual(
        error.publicCause.failures?.map(({ name }) => name),
        ['bob'],
      )
      return true
    },
  )
})

test('cases that say nothing certain are refused with their field', () => {
  const wrong: readonly [string, Partial<TestCase>][] = [
    ['testCases.0.name', { name: ' ' }],
    ['testCases.0.now', { now: 'yesterday' }],
    ['testCases.0.now', { now: '2026-01-01' }],
    ['testCases.0.now', { now: Number.NaN }],
    ['testCases.0.now', { now: 1e14 }],
    ['testCases.0.expect.check', { expect: { outcome: 'refused', check: 'signature' } }],
    ['testCases.0.expect.check', { expect: { outcome: 'refused', check: 'nothing' } }],
    ['testCases.0.expect.check', { expect: { outcome: 'accepted', check: 'audience' } }],
    ['testCases.0.expect.outcome', { expect: { outcome: 'refused', attributes: [] } }],
    ['testCases.0.expect.outcome', { expect: { outcome: 'refused', externalId: 'x' } }],
    ['testCases', { claims: { big: 'x'.repeat(140_000) } }],
  ]
  checkTestCases([base, { ...base, name: 'another', now: '2026-01-31T12:00:00+01:00' }])
  for (const [field, testCase] of wrong) {
    assert.throws(
      () => checkTestCases([{ ...base, ...testCase }]),
      (error: AppError) =>
        error instanceof AppError && JSON.stringify(error.publicCause).includes(`"field":"${field}"`),
      field,
    )
  }
  assert.throws(() => checkTestCases([base, base]), /testCases.1.name/)
})
