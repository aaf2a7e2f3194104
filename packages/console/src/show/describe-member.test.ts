import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AUTH_POLICY } from '@countersign/contract/auth-policy'
import { SIGNER } from '@countersign/contract/ext-jwt-signer'
import { describeMember } from './describe-member.ts'

test('a member is described by its name in the API and its meaning', () => {
  assert.equal(describeMember(SIGNER.members, 'audience'), 'audience: The exact audience that a token must have (aud)')
  assert.match(describeMember(SIGNER.members, 'sharedSignals.audience'), /^sharedSignals\.audience: Receives/)
  assert.equal(describeMember(SIGNER.members, 'name'), 'name')
  assert.equal(describeMember(SIGNER.members, 'createdAt'), 'createdAt')
  assert.equal(describeMember(AUTH_POLICY.members, 'primary.cert'), 'primary.cert')
})
