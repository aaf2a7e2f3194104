import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthPolicyWrite } from '@countersign/contract/auth-policy'
import { AppError } from '../app-error.ts'
import {
  authPolicyFromBody,
  DEFAULT_AUTH_POLICY,
  patchedAuthPolicy,
  replacedAuthPolicy,
  validateAuthPolicy,
} from './auth-policy-settings.ts'

const primary = {
  ...DEFAULT_AUTH_POLICY.primary,
  extJwt: { ...DEFAULT_AUTH_POLICY.primary.extJwt, allowedSigners: ['one'] },
}
const BODY: AuthPolicyWrite = {
  name: 'p',
  primary: primary as AuthPolicyWrite['primary'],
  secondary: { requireTotp: true },
}

test('a policy has the members of its body; requireExtJwtSigner and tags are optional', () => {
  const policy = authPolicyFromBody(BODY)
  const { session, certificate } = DEFAULT_AUTH_POLICY
  const secondary = { requireTotp: true, requireExtJwtSigner: null, requirePasskey: false }
  assert.deepEqual(policy, { ...BODY, secondary, session, certificate, acceptRule: null, tags: {} })
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

test('D64 a PUT keeps the session and the requirements for logins; null clears them', () => {
  const requirements = { requireAcr: ['b', 'a', 'b'], requireAmr: ['x', 'x'], maxAuthAgeSeconds: 5 }
  const session = { idleMinutes: 1, maxMinutes: 2, endWithToken: true }
  const certificate = { maxDays: 30, renewalNeedsToken: true, renewalGraceHours: 0 }
  const current = authPolicyFromBody({
    ...BODY,
    primary: { ...primary, extJwt: { ...primary.extJwt, ...requirements } },
    session,
    certificate,
  })
  const { requireAcr, requireAmr, maxAuthAgeSeconds } = current.primary.extJwt
  assert.deepEqual([requireAcr, requireAmr, maxAuthAgeSeconds], [['b', 'a'], ['x'], 5])
  const kept = replacedAuthPolicy(current, {
    ...BODY,
    primary: { ...primary, extJwt: { allowed: true, allowedSigners: ['one'] } },
  })
  assert.deepEqual([kept.session, kept.primary.extJwt], [session, current.primary.extJwt])
  assert.deepEqual(kept.certificate, certificate)
  assert.deepEqual(patchedAuthPolicy(current, { certificate: null }).certificate, DEFAULT_AUTH_POLICY.certificate)
  assert.deepEqual(patchedAuthPolicy(current, { certificate: { renewalGraceHours: null } }).certificate, {
    ...certificate,
    renewalGraceHours: 24,
  })
  assert.deepEqual(patchedAuthPolicy(current, { session: null }).session, DEFAULT_AUTH_POLICY.session)
  assert.deepEqual(replacedAuthPolicy(current, { ...BODY, session: null }).session, DEFAULT_AUTH_POLICY.session)
  assert.deepEqual(patchedAuthPolicy(current, { session: { maxMinutes: null } }).session, {
    ...session,
    maxMinutes: null,
  })
})

test('D64 a PUT keeps what a policy says about passkeys; null clears it', () => {
  const { passkey: _passkey, ...others } = primary
  const without = { ...BODY, primary: others as AuthPolicyWrite['primary'] }
  const given = { ...without, primary: { ...others, passkey: { allowed: true } } as AuthPolicyWrite['primary'] }
  const current = authPolicyFromBody({ ...given, secondary: { requireTotp: false, requirePasskey: true } })
  const passkeysOf = ({ primary, secondary }: typeof current) => [primary.passkey.allowed, secondary.requirePasskey]
  assert.deepEqual(passkeysOf(authPolicyFromBody(without)), [false, false])
  assert.deepEqual(passkeysOf(current), [true, true])
  assert.deepEqual(passkeysOf(replacedAuthPolicy(current, without)), [true, true])
  const cleared = { primary: { passkey: null }, secondary: { requirePasskey: null } }
  assert.deepEqual(passkeysOf(patchedAuthPolicy(current, cleared)), [false, false])
})

test('values of acr fit into a challenge', () => {
  const withAcr = (acr: string) => ({
    ...DEFAULT_AUTH_POLICY,
    primary: { ...DEFAULT_AUTH_POLICY.primary, extJwt: { ...DEFAULT_AUTH_POLICY.primary.extJwt, requireAcr: [acr] } },
  })
  for (const bad of ['a b', 'a"', 'a\\', 'ä', '']) assert.throws(() => validateAuthPolicy(withAcr(bad)), AppError, bad)
  assert.doesNotThrow(() => validateAuthPolicy(withAcr('urn:mace:incommon:iap:silver')))
})
