import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_AUTH_POLICY } from './auth-policy-settings.ts'
import { certificateDays, needsRenewalToken, renewalSignersOf } from './certificate-policy.ts'

const { certificate: UNSET } = DEFAULT_AUTH_POLICY
const HOUR_MS = 3_600_000

test('a policy shortens the validity of certificates, and never extends it', () => {
  assert.equal(certificateDays({ certificate: UNSET }, 365), 365)
  assert.equal(certificateDays({ certificate: { ...UNSET, maxDays: 30 } }, 365), 30)
  assert.equal(certificateDays({ certificate: { ...UNSET, maxDays: 400 } }, 365), 365)
})

test('a renewal needs a token when the last one is too long ago, always without grace, and never where the policy does not say so', () => {
  const strict = { certificate: { ...UNSET, renewalNeedsToken: true } }
  const graceless = { certificate: { ...UNSET, renewalNeedsToken: true, renewalGraceHours: 0 } }
  assert.equal(needsRenewalToken({ certificate: UNSET }, null, 0), false)
  assert.equal(needsRenewalToken(strict, null, 0), true)
  assert.equal(needsRenewalToken(strict, 1, 24 * HOUR_MS), false)
  assert.equal(needsRenewalToken(strict, 1, 24 * HOUR_MS + 1), true)
  assert.equal(needsRenewalToken(graceless, 1, 1), true)
})

test('a token of the enrolling signer renews; linked signers count for identities that no signer enrolled', () => {
  assert.deepEqual(renewalSignersOf({ enrolledBySignerId: 'one', linkedSigners: ['other'] }), ['one'])
  assert.deepEqual(renewalSignersOf({ enrolledBySignerId: null, linkedSigners: ['other'] }), ['other'])
  assert.deepEqual(renewalSignersOf({ enrolledBySignerId: null, linkedSigners: [] }), [])
})
