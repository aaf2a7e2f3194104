import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthPolicy } from '@countersign/sdk'
import { canCreateFor, identityForClaim } from './identity-for-claim.ts'

const policy = (id: string, primary: object) => ({ id, name: id, primary }) as unknown as AuthPolicy
const off = { allowed: false, allowedSigners: [] }
const none = policy('none', { cert: off, extJwt: off })
const byCertificate = policy('certificates', { cert: { allowed: true }, extJwt: off })
const standard = policy('default', { cert: off, extJwt: { allowed: true, allowedSigners: [] } })
const own = policy('own', { cert: off, extJwt: { allowed: true, allowedSigners: ['s1'] } })
const foreign = policy('foreign', { cert: off, extJwt: { allowed: true, allowedSigners: ['s2'] } })

const decision = { claimedIdentity: 'alice@idp.example', method: 'ext-jwt', signerId: 's1' }
const signer = { name: 'idp', useExternalId: true, enrollAuthPolicyId: null }

test('the policy is the one of the signer, the default, or another that admits the login', () => {
  const chosen = (policies: readonly AuthPolicy[], enrollAuthPolicyId: string | null = null) =>
    identityForClaim(decision, { ...signer, enrollAuthPolicyId }, policies).authPolicyId
  assert.equal(chosen([none, own, standard]), 'default')
  assert.equal(chosen([none, own, standard], 'own'), 'own')
  assert.equal(chosen([none, foreign, own], 'foreign'), 'own')
  const refused = identityForClaim(decision, signer, [none, foreign, byCertificate])
  assert.equal(refused.authPolicyId, '')
  assert.match(refused.note ?? '', /No policy allows/)
  const certificate = identityForClaim({ ...decision, method: 'cert', signerId: null }, undefined, [
    standard,
    byCertificate,
  ])
  assert.deepEqual(certificate, {
    name: 'alice@idp.example',
    externalId: 'alice@idp.example',
    authPolicyId: 'certificates',
  })
})

test('a signer that compares ids cannot be served by an external id, and the form says so', () => {
  const start = identityForClaim(decision, { ...signer, useExternalId: false }, [standard])
  assert.equal(start.externalId, '')
  assert.match(start.note ?? '', /compares the claim with the id/)
})

test('only a proven claim that fits into an external id is offered', () => {
  assert.equal(canCreateFor({ reason: 'unknown-identity', claimedIdentity: 'a' }), true)
  assert.equal(canCreateFor({ reason: 'certificate-unnamed', claimedIdentity: 'a' }), true)
  assert.equal(canCreateFor({ reason: 'token-expired', claimedIdentity: 'a' }), false)
  assert.equal(canCreateFor({ reason: 'unknown-identity', claimedIdentity: null }), false)
  assert.equal(canCreateFor({ reason: 'unknown-identity', claimedIdentity: 'a'.repeat(513) }), false)
})
