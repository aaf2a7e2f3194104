import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_AUTH_POLICY } from './auth-policy-settings.ts'
import { findStepUp, type LoginClaims, type LoginRequirements } from './step-up.ts'

const NOW = 1_000_000
const NOTHING: LoginClaims = { acr: null, amr: null, authenticatedAt: null }

const find = (policy: Partial<LoginRequirements>, claims: Partial<LoginClaims>) =>
  findStepUp({ ...DEFAULT_AUTH_POLICY.primary.extJwt, ...policy }, { ...NOTHING, ...claims }, NOW)

test('a policy without requirements accepts every login at the provider', () => {
  assert.equal(find({}, {}), undefined)
})

test('one of the acr values suffices', () => {
  const policy = { requireAcr: ['a', 'b'] }
  assert.equal(find(policy, { acr: 'b' }), undefined)
  assert.equal(find(policy, { acr: 'c' }), 'acr-insufficient')
  assert.equal(find(policy, {}), 'acr-insufficient')
})

test('all amr values are required', () => {
  const policy = { requireAmr: ['a', 'b'] }
  assert.equal(find(policy, { amr: ['b', 'c', 'a'] }), undefined)
  assert.equal(find(policy, { amr: ['a'] }), 'amr-insufficient')
  assert.equal(find(policy, {}), 'amr-insufficient')
})

test('a login at the provider must be recent, and not in the future', () => {
  const policy = { maxAuthAgeSeconds: 10 }
  assert.equal(find(policy, { authenticatedAt: NOW - 10_000 }), undefined)
  assert.equal(find(policy, { authenticatedAt: NOW - 10_001 }), 'authentication-too-old')
  assert.equal(find(policy, { authenticatedAt: NOW + 60_000 }), undefined)
  assert.equal(find(policy, { authenticatedAt: NOW + 60_001 }), 'authentication-too-old')
  assert.equal(find(policy, {}), 'authentication-too-old')
})
