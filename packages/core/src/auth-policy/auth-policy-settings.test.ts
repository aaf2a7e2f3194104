import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../app-error.ts'
import {
  authPolicyFromBody,
  DEFAULT_AUTH_POLICY,
  patchedAuthPolicy,
  replacedAuthPolicy,
  validateAuthPolicy,
} from './auth-policy-settings.ts'

const primary = { ...DEFAULT_AUTH_POLICY.primary, extJwt: { allowed: true, allowedSigners: ['one'] } }
const BODY = { name: 'p', primary, secondary: { requireTotp: true } }

test('a policy has the members of its body; requireExtJwtSigner and tags are optional', () => {
  const policy = authPolicyFromBody(BODY)
  assert.deepEqual(policy, { ...BODY, secondary: { requireTotp: true, requireExtJwtSigner: null }, tags: {} })
})

test('signers are sorted without duplicates, and numbers are raised to their minimum', () => {
  const policy = authPolicyFromBody({
    ...BODY,
    primary: {
      ...primary,
      extJwt: { allowed: true, allowedSigners: ['b', 'a', 'b'] },
      updb: { ...primary.updb, minPasswordLength: 4, maxAttempts: -1, lockoutDurationMinutes: -1 },
    },
  })
  assert.deepEqual(policy.primary.extJwt.allowedSigners, ['a', 'b'])
  const { minPasswordLength, maxAttempts, lockoutDurationMinutes } = policy.primary.updb
  assert.deepEqual([minPasswordLength, maxAttempts, lockoutDurationMinutes], [5, 0, 0])
})

test('a PATCH keeps what it omits, at any depth; a PUT does not', () => {
  const current = authPolicyFromBody({
    ...BODY,
    secondary: { requireTotp: true, requireExtJwtSigner: 's' },
    tags: { a: 'b' },
  })
  assert.deepEqual(patchedAuthPolicy(current, { primary: { cert: { allowed: false } } }), {
    ...current,
    primary: { ...primary, cert: { ...primary.cert, allowed: false } },
  })
  assert.deepEqual(replacedAuthPolicy(current, BODY), authPolicyFromBody(BODY))
})

test('a policy needs a name of plain text', () => {
  for (const name of ['', ' ', 'a\u0000b']) {
    assert.throws(() => validateAuthPolicy({ ...DEFAULT_AUTH_POLICY, name }), AppError, JSON.stringify(name))
  }
  assert.doesNotThrow(() => validateAuthPolicy({ ...DEFAULT_AUTH_POLICY, name: 'a b' }))
})
