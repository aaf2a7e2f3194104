import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_AUTH_POLICY } from './auth-policy-settings.ts'
import { isLoginAllowed } from './login-method.ts'

const { primary } = DEFAULT_AUTH_POLICY

test('each method can be disabled on its own', () => {
  const without = {
    password: { ...primary, updb: { ...primary.updb, allowed: false } },
    cert: { ...primary, cert: { ...primary.cert, allowed: false } },
    'ext-jwt': { ...primary, extJwt: { ...primary.extJwt, allowed: false } },
  }
  const logins = [{ method: 'password' }, { method: 'cert' }, { method: 'ext-jwt', signerId: 'one' }] as const
  for (const disabled of logins) {
    for (const login of logins) {
      assert.equal(
        isLoginAllowed({ primary: without[disabled.method] }, login),
        login !== disabled,
        `${login.method} without ${disabled.method}`,
      )
    }
  }
})

test('a policy allows the signers that it lists, or all when it lists none', () => {
  const named = { primary: { ...primary, extJwt: { ...primary.extJwt, allowedSigners: ['one'] } } }
  assert.equal(isLoginAllowed(named, { method: 'ext-jwt', signerId: 'one' }), true)
  assert.equal(isLoginAllowed(named, { method: 'ext-jwt', signerId: 'two' }), false)
  assert.equal(isLoginAllowed({ primary }, { method: 'ext-jwt', signerId: 'two' }), true)
})

test('the login of an API account does not depend on the policy', () => {
  const without = {
    updb: { ...primary.updb, allowed: false },
    cert: { ...primary.cert, allowed: false },
    extJwt: { ...primary.extJwt, allowed: false },
    passkey: { allowed: false },
  }
  assert.equal(isLoginAllowed({ primary: without }, { method: 'api-account', accountId: 'one' }), true)
  assert.equal(isLoginAllowed({ primary: without }, { method: 'ext-jwt', signerId: 'one' }), false)
})
