import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  describeCause,
  isIssuedBefore,
  namesIdentity,
  type RevokedTokens,
  revocableToken,
  revocationKey,
} from './revocation.ts'

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

test('a token names the identity with its claim as external id, or as id, and not with its sub or sid', () => {
  const token = revocableToken({ claims: { sub: 'a', sid: 'b' }, identityClaim: 'id' })
  const names = (useExternalId: boolean, id: string, externalId: string | null): boolean =>
    namesIdentity(token, { useExternalId }, { id, externalId })
  assert.deepEqual([names(true, 'x', 'id'), names(false, 'id', null)], [true, true])
  for (const other of [null, 'a', 'b', 'ID', '']) assert.equal(names(true, 'id', other), false)
  for (const other of ['a', 'b', 'ID', '']) assert.equal(names(false, other, 'id'), false)
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
