import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_AUTH_POLICY } from '../auth-policy/auth-policy-settings.ts'
import {
  ENROLLMENT_KINDS,
  type EnrollmentAttempt,
  findEnrollmentRefusals,
  isKindEnabled,
  requirementsOf,
} from './enrollment-refusals.ts'

const { primary } = DEFAULT_AUTH_POLICY
const SIGNER = {
  id: 'one',
  name: 'idp',
  enabled: true,
  enrollToCertEnabled: true,
  enrollToTokenEnabled: true,
  provisionOnLogin: false,
  reprovisionAfterMinutes: 1440,
}

const ATTEMPT: EnrollmentAttempt = {
  kind: 'token',
  signer: SIGNER,
  policy: { primary, acceptRule: null },
  isEnrolled: false,
  facts: { claims: {}, request: undefined, identity: { id: '', name: 'alice', attributes: [] } },
  loginClaims: { acr: null, amr: null, authenticatedAt: null },
  now: 100_000,
}

const refusalsOf = (attempt: Partial<EnrollmentAttempt>) => findEnrollmentRefusals({ ...ATTEMPT, ...attempt })

test('each kind of enrollment is enabled by its own flag', () => {
  const onlyCert = { ...SIGNER, enrollToTokenEnabled: false }
  assert.equal(isKindEnabled(onlyCert, 'cert'), true)
  assert.equal(isKindEnabled(onlyCert, 'token'), false)
  assert.deepEqual(refusalsOf({ kind: 'cert', signer: onlyCert }), [])
  assert.deepEqual(refusalsOf({ kind: 'token', signer: onlyCert }), ['enrollment-off'])
})

test('an enrollment of either kind is refused for a disabled signer, a known identity or an unknown policy', () => {
  for (const kind of ENROLLMENT_KINDS) {
    assert.deepEqual(refusalsOf({ kind }), [], kind)
    assert.deepEqual(refusalsOf({ kind, signer: { ...SIGNER, enabled: false } }), ['signer-disabled'], kind)
    assert.deepEqual(refusalsOf({ kind, isEnrolled: true }), ['already-enrolled'], kind)
    assert.deepEqual(refusalsOf({ kind, policy: undefined }), ['policy-unknown'], kind)
  }
})

test('the policy must allow the login that the enrollment leads to', () => {
  const noCert = { acceptRule: null, primary: { ...primary, cert: { ...primary.cert, allowed: false } } }
  const noToken = { acceptRule: null, primary: { ...primary, extJwt: { ...primary.extJwt, allowed: false } } }
  assert.deepEqual(refusalsOf({ kind: 'cert', policy: noCert }), ['not-allowed'])
  assert.deepEqual(refusalsOf({ kind: 'cert', policy: noToken }), [])
  assert.deepEqual(refusalsOf({ kind: 'token', policy: noToken }), ['not-allowed'])
  assert.deepEqual(refusalsOf({ kind: 'token', policy: noCert }), [])
})

test('the list of allowed signers restricts token enrollments only', () => {
  const allowing = (...allowedSigners: string[]) => ({
    acceptRule: null,
    primary: { ...primary, extJwt: { ...primary.extJwt, allowedSigners } },
  })
  assert.deepEqual(refusalsOf({ kind: 'token', policy: allowing('one') }), [])
  assert.deepEqual(refusalsOf({ kind: 'token', policy: allowing('two') }), ['signer-not-allowed'])
  assert.deepEqual(refusalsOf({ kind: 'cert', policy: allowing('two') }), [])
})

test('every refusal is returned, the one for the client first', () => {
  const signer = { ...SIGNER, enabled: false, enrollToTokenEnabled: false }
  assert.deepEqual(refusalsOf({ signer, isEnrolled: true, policy: undefined }), [
    'signer-disabled',
    'already-enrolled',
    'enrollment-off',
    'policy-unknown',
  ])
})

test('a login enrolls only with provisionOnLogin', () => {
  assert.deepEqual(refusalsOf({ isLogin: true, signer: { ...SIGNER, provisionOnLogin: true } }), [])
  assert.deepEqual(refusalsOf({ isLogin: true }), ['enrollment-off'])
  assert.deepEqual(refusalsOf({}), [])
})

test('with provisionOnLogin the subject of an identity that was deleted recently enrolls to no token use', () => {
  const signer = { ...SIGNER, provisionOnLogin: true, reprovisionAfterMinutes: 1 }
  for (const isLogin of [true, false]) {
    assert.deepEqual(refusalsOf({ signer, isLogin, deletedAt: 40_001 }), ['deleted-recently'])
    assert.deepEqual(refusalsOf({ signer, isLogin, deletedAt: 40_000 }), [])
  }
  assert.deepEqual(refusalsOf({ deletedAt: 40_001 }), [], 'a signer that does not provision')
  assert.deepEqual(refusalsOf({ signer, kind: 'cert', deletedAt: 40_001 }), [])
})

test('a token that is too weak or too old for the policy enrolls to neither kind', () => {
  const extJwt = { ...primary.extJwt, requireAcr: ['gold'], requireAmr: ['otp'], maxAuthAgeSeconds: 60 }
  const policy = { acceptRule: null, primary: { ...primary, extJwt } }
  const loginClaims = { acr: 'gold', amr: ['otp'], authenticatedAt: 40_000 }
  for (const kind of ENROLLMENT_KINDS) {
    const refusals = (claims: Partial<typeof loginClaims>) =>
      refusalsOf({ kind, policy, loginClaims: { ...loginClaims, ...claims } })
    assert.deepEqual(refusals({}), [], kind)
    assert.deepEqual(refusals({ acr: 'silver' }), ['acr-insufficient'], kind)
    assert.deepEqual(refusals({ amr: ['pwd'] }), ['amr-insufficient'], kind)
    assert.deepEqual(refusals({ authenticatedAt: 39_999 }), ['authentication-too-old'], kind)
  }
  assert.equal(requirementsOf('acr-insufficient', policy), extJwt)
  assert.equal(requirementsOf('not-allowed', policy), undefined)
})

test('the rule of the policy holds for both kinds of enrollment', () => {
  for (const kind of ENROLLMENT_KINDS) {
    const policy = { primary, acceptRule: 'claims.level > 1 && identity.name == "alice" && signer.name == "idp"' }
    const facts = (level: number | undefined) => ({
      ...ATTEMPT.facts,
      claims: level === undefined ? {} : { level },
    })
    assert.deepEqual(refusalsOf({ kind, policy, facts: facts(2) }), [])
    assert.deepEqual(refusalsOf({ kind, policy, facts: facts(1) }), ['rule-refused'])
    assert.deepEqual(refusalsOf({ kind, policy, facts: facts(undefined) }), ['rule-error'])
  }
})

test('Z-17 the rule of the policy is evaluated once for an enrollment', () => {
  for (const [level, refusals] of [
    [1, []],
    [2, ['rule-refused']],
  ] as const) {
    let reads = 0
    const claims = {
      get level() {
        reads++
        return level
      },
    }
    const policy = { primary, acceptRule: 'claims.level == 1' }
    assert.deepEqual(refusalsOf({ policy, facts: { ...ATTEMPT.facts, claims } }), refusals)
    assert.equal(reads, 1)
  }
})
