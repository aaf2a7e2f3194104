import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '@countersign/contract'
import { maySeeEnrollments, maySeeEnrollmentToken, readsEverything } from './enrollment-visibility.ts'

const holding = (...permissions: Permission[]) => ({ id: 'holder', isAdmin: false, permissions })
const ADMIN = { id: 'admin', isAdmin: true, permissions: [] }
const BY_OTHER = { createdBy: 'other' }

test('one-time tokens are visible to callers that can create them', () => {
  for (const permission of ['enrollment.create', 'enrollment.update', 'identity'] as const) {
    assert.equal(maySeeEnrollmentToken(holding(permission), holding(), BY_OTHER), true, permission)
  }
  for (const permission of ['enrollment.read', 'enrollment.delete', 'identity.update', 'admin_readonly'] as const) {
    assert.equal(maySeeEnrollmentToken(holding(permission), holding(), BY_OTHER), false, permission)
    assert.equal(maySeeEnrollmentToken(holding(permission), holding(), { createdBy: 'holder' }), false, permission)
  }
  assert.equal(maySeeEnrollmentToken(ADMIN, ADMIN, BY_OTHER), true)
})

test('N-14 identity.create shows the tokens that its holder created, and no others', () => {
  const holder = holding('identity.create')
  assert.equal(maySeeEnrollmentToken(holder, holding(), { createdBy: 'holder' }), true)
  assert.equal(maySeeEnrollmentToken(holder, holding(), BY_OTHER), false)
  assert.equal(maySeeEnrollmentToken(holder, holding(), { createdBy: null }), false, 'the creator is not known')
  assert.equal(maySeeEnrollmentToken(holder, ADMIN, { createdBy: 'holder' }), false)
})

test('one-time tokens of an identity with more permissions are not visible', () => {
  const holder = holding('enrollment')
  assert.equal(maySeeEnrollmentToken(holder, holding('enrollment'), BY_OTHER), true)
  assert.equal(maySeeEnrollmentToken(holder, holding('enrollment', 'identity.read'), BY_OTHER), false)
  assert.equal(maySeeEnrollmentToken(holder, ADMIN, BY_OTHER), false)
})

test('enrollments without tokens are visible to readers of everything, and to holders of all permissions', () => {
  assert.equal(maySeeEnrollments(holding('admin_readonly'), ADMIN), true)
  assert.equal(maySeeEnrollments(holding('enrollment.read'), ADMIN), false)
  assert.equal(maySeeEnrollments(holding('enrollment.read'), holding('enrollment.read')), true)
  assert.equal(maySeeEnrollments(holding('enrollment.read'), holding('identity.read')), false)
})

test('administrators and admin_readonly read everything', () => {
  assert.equal(readsEverything(ADMIN), true)
  assert.equal(readsEverything(holding('admin_readonly')), true)
  assert.equal(readsEverything(holding('identity', 'enrollment')), false)
})
