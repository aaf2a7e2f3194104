import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_AUTH_POLICY } from './auth-policy-settings.ts'
import { isLoginAllowed } from './login-way.ts'

const { primary } = DEFAULT_AUTH_POLICY

test('each method can be turned off by itself', () => {
  const without = {
    password: { ...primary, updb: { ...primary.updb, allowed: false } },
    cert: { ...primary, cert: { ...primary.cert, allowed: false } },
    'ext-jwt': { ...primary, extJwt: { ...primary.extJwt, allowed: false } },
  }
  const ways = [{ method: 'password' }, { method: 'cert' }, { method: 'ext-jwt', signerId: 'one' }] as const
  for (const off of ways) {
    for (const way of ways) {
      assert.equal(
        isLoginAllowed({ primary: without[off.method] }, way),
        way !== off,
        `${way.method} without ${off.method}`,
      )
    }
  }
})

test('a policy that names signers allows those, one that names none allows all', () => {
  const named = { primary: { ...primary, extJwt: { allowed: true, allowedSigners: ['one'] } } }
  assert.equal(isLoginAllowed(named, { method: 'ext-jwt', signerId: 'one' }), true)
  assert.equal(isLoginAllowed(named, { method: 'ext-jwt', signerId: 'two' }), false)
  assert.equal(isLoginAllowed({ primary }, { method: 'ext-jwt', signerId: 'two' }), true)
})
