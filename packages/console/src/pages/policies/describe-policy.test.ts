import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describePolicy } from './describe-policy.ts'
import { fromPolicy, type PolicyValues, toPolicy } from './policy-values.ts'

const describe = (changes: Partial<PolicyValues>) =>
  describePolicy(toPolicy({ ...fromPolicy(), ...changes }), (id) => `“${id}”`)

test('describePolicy lists the login methods, the password rules and the second factor', () => {
  assert.deepEqual(describe({}), [
    'Sign in with a token of any signer, a client certificate or a password.',
    'Passwords have at least 8 characters.',
  ])
  assert.deepEqual(describe({ certAllowed: false, extJwtAllowed: false, updbAllowed: false }), [
    'No login method is allowed.',
  ])
  const strict = { certAllowed: false, allowedSigners: ['a', 'b'], requireMixedCase: true, requireNumberChar: true }
  assert.deepEqual(describe({ ...strict, maxAttempts: 3, requireTotp: true, requireExtJwtSigner: 'c' }), [
    'Sign in with a token of “a” or “b” or a password.',
    'Passwords have at least 8 characters, with mixed case and a digit.',
    'After 3 wrong passwords the identity is locked until an administrator enables it.',
    'A one-time code is required.',
    'Every request also needs a token of “c”.',
  ])
})

test('describePolicy says where passkeys are allowed and required', () => {
  const lines = describe({ certAllowed: false, extJwtAllowed: false, passkeyAllowed: true, requirePasskey: true })
  assert.deepEqual(lines, [
    'Sign in with a password or a passkey.',
    'Passwords have at least 8 characters.',
    'A passkey is required, unless one opened the session.',
  ])
})

test('describePolicy says what the login at the provider must be, and when sessions end', () => {
  const lines = describe({
    ...{ certAllowed: false, updbAllowed: false, requireAcr: ['gold', 'silver'], requireAmr: ['otp'] },
    ...{ maxAuthAgeSeconds: 300, idleMinutes: 5, maxMinutes: 60, endWithToken: true },
    ...{ certificateMaxDays: 30, acceptRule: 'claims.a == 1', renewalNeedsToken: true },
  })
  assert.deepEqual(lines, [
    'Sign in with a token of any signer.',
    'A token must have the acr gold or silver.',
    'A token must have the amr otp.',
    'The login at the identity provider may be at most 300 seconds ago.',
    'Each login and each request must meet the rule claims.a == 1',
    'A session ends after 5 minutes without a request or 60 minutes.',
    'A session ends when its token expires.',
    'Certificates are valid for at most 30 days.',
    'The renewal of a certificate needs a token of the signer that enrolled the identity, unless one was used in the last 24 hours.',
  ])
})
