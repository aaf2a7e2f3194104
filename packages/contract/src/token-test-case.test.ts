import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testCaseOfToken } from './token-test-case.ts'

const NOW = new Date('2026-01-01T00:10:00Z')
const token = { header: { alg: 'ES256', typ: 'at+jwt', kid: 'k', x5c: ['…'] }, claims: { sub: 'alice', exp: 1 } }
const passed = (check: string, received: unknown = 'as expected') => ({ check, received, pass: true })
const failed = (check: string) => ({ check, received: 'otherwise', pass: false })

test('a token becomes a test case that expects what its signer says to it', () => {
  const accepted = [passed('signature'), passed('identityClaim', 'alice')]
  assert.deepEqual(testCaseOfToken(token, { checks: accepted }, NOW), {
    name: 'accepted token of alice, 2026-01-01T00:10:00.000Z',
    claims: token.claims,
    header: { alg: 'ES256', typ: 'at+jwt' },
    now: '2026-01-01T00:10:00.000Z',
    expect: { outcome: 'accepted', externalId: 'alice' },
  })
  const refused = testCaseOfToken(token, { checks: [passed('signature'), failed('acceptRule'), failed('x')] }, NOW)
  assert.deepEqual(refused?.expect, { outcome: 'refused', check: 'acceptRule' })
  assert.match(refused?.name ?? '', /^refused token of alice/)
})

test('a token that fails a check which test cases leave out becomes none', () => {
  for (const check of ['format', 'kid', 'key', 'signature', 'certificate', 'proof', 'oneUse'])
    assert.equal(testCaseOfToken(token, { checks: [passed('issuer'), failed(check)] }, NOW), undefined, check)
  for (const check of ['issuer', 'audience', 'expiry', 'requiredClaims', 'acceptRule', 'attributeRules'])
    assert.ok(testCaseOfToken(token, { checks: [failed(check)] }, NOW), check)
  assert.equal(testCaseOfToken(token, { checks: [] }, NOW), undefined)
})

test('a long subject or identity is left out', () => {
  const claims = { sub: 'a'.repeat(300) }
  const checks = [passed('identityClaim', `${'a'.repeat(200)}…`)]
  const { name, expect } = testCaseOfToken({ header: {}, claims }, { checks }, NOW) ?? {}
  assert.deepEqual([name, expect], ['a token, 2026-01-01T00:10:00.000Z', { outcome: 'accepted' }])
  assert.match(testCaseOfToken({ header: {}, claims: {} }, { checks }, NOW)?.name ?? '', /no subject/)
})
