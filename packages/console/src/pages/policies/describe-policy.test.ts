import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describePolicy } from './describe-policy.ts'
import { fromPolicy, type PolicyValues, toPolicy } from './policy-values.ts'

const say = (changes: Partial<PolicyValues>) =>
  describePolicy(toPolicy({ ...fromPolicy(), ...changes }), (id) => `“${id}”`)

test('a policy is told in plain words: every way in, what passwords need, and the second factor', () => {
  assert.deepEqual(say({}), [
    'Sign in with a token of any signer, a client certificate or a password.',
    'Passwords have at least 8 characters.',
  ])
  assert.deepEqual(say({ certAllowed: false, extJwtAllowed: false, updbAllowed: false }), ['Nobody can sign in.'])
  const strict = { certAllowed: false, allowedSigners: ['a', 'b'], requireMixedCase: true, requireNumberChar: true }
  assert.deepEqual(say({ ...strict, maxAttempts: 3, requireTotp: true, requireExtJwtSigner: 'c' }), [
    'Sign in with a token of “a” or “b” or a password.',
    'Passwords have at least 8 characters, with capitals and small letters and a digit.',
    'After 3 wrong ones the identity is locked until an administrator enables it.',
    'Then a one-time code is needed.',
    'Every call also needs a token of “c”.',
  ])
})
