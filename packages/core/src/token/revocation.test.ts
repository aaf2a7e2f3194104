import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeCause, isIssuedBefore, type RevokedTokens, revocableToken, revocationKey } from './revocation.ts'

const concerns = (tokens: RevokedTokens, claims: Record<string, string>, identityClaim = 'id'): boolean =>
  revocableToken({ claims, identityClaim }).revocationKeys.includes(revocationKey(tokens))

test('a revocation concerns the tokens with its sub, its sid, or both', () => {
  const claims = { sub: 'a', sid: 'b' }
  assert.ok(concerns({ sub: 'a' }, claims))
  assert.ok(concerns({ sid: 'b' }, claims))
  assert.ok(concerns({ sub: 'a', sid: 'b' }, claims))
  assert.ok(concerns({ identityClaim: 'id' }, {}))
  for (const tokens of [{ sub: 'b' }, { sid: 'a' }, { sub: 'a', sid: 'c' }, { identityClaim: 'a' }]) {
    assert.equal(concerns(tokens, claims), false, JSON.stringify(tokens))
  }
  assert.equal(concerns({ sub: 'a', sid: 'b' }, { sub: 'a' }), false)
  assert.equal(concerns({ sub: 'a' }, { sid: 'a' }), false)
})

test('a token of the same second, or without a time, may have been issued before', () => {
  const issuedAt = (iat: unknown) => revocableToken({ claims: { iat } as never, identityClaim: '' })
  assert.deepEqual([issuedAt(10).issuedAt, issuedAt('10').issuedAt, issuedAt(undefined).issuedAt], [10_000, null, null])
  assert.ok(isIssuedBefore(issuedAt(10), 10_000))
  assert.ok(isIssuedBefore(issuedAt(9), 10_000))
  assert.ok(isIssuedBefore(issuedAt(undefined), 10_000))
  assert.equal(isIssuedBefore(issuedAt(11), 10_000), false)
})

test('causes are named', () => {
  assert.equal(describeCause('backchannel-logout'), 'back-channel logout')
  assert.equal(describeCause('session-revoked'), 'security event session-revoked')
})
