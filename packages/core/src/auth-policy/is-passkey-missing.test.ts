import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_AUTH_POLICY } from './auth-policy-settings.ts'
import { isPasskeyMissing } from './is-passkey-missing.ts'
import { isLoginAllowed } from './login-method.ts'

const policy = (requirePasskey: boolean) => ({ secondary: { ...DEFAULT_AUTH_POLICY.secondary, requirePasskey } })

test('a policy with requirePasskey is met by a passkey as second factor, or by a login by passkey', () => {
  const required = policy(true)
  assert.equal(isPasskeyMissing(required, { method: 'password', passedPasskeyId: null }), true)
  assert.equal(isPasskeyMissing(required, { method: 'ext-jwt', passedPasskeyId: null }), true)
  assert.equal(isPasskeyMissing(required, { method: 'password', passedPasskeyId: 'mine' }), false)
  assert.equal(isPasskeyMissing(required, { method: 'passkey', passedPasskeyId: null }), false)
})

test('without requirePasskey no passkey is missing', () => {
  assert.equal(isPasskeyMissing(policy(false), { method: 'password', passedPasskeyId: null }), false)
})

test('login by passkey is allowed only where the policy says so', () => {
  const { primary } = DEFAULT_AUTH_POLICY
  assert.equal(isLoginAllowed({ primary }, { method: 'passkey' }), false)
  const allowing = { primary: { ...primary, passkey: { allowed: true } } }
  assert.equal(isLoginAllowed(allowing, { method: 'passkey' }), true)
})
