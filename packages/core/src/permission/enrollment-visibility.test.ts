import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Permission } from '@countersign/contract'
import { maySeeEnrollments, maySeeEnrollmentTokens, readsEverything } from './enrollment-visibility.ts'

const holding = (...permissions: Permission[]) => ({ isAdmin: false, permissions })
const ADMIN = { isAdmin: true, permissions: [] }

test('one-time tokens are visible to callers that can create them', () => {
  for (const permission of [
    'enrollment.create',
    'enrollment.update',
    'identity.create',
    'authenticator.update',
  ] as const) {
    assert.equal(maySeeEnrollmentTokens(holding(permission), holding()), true, permission)
  }
  for (const permission of ['enrollment.read', 'enrollment.delete', 'identity.update', 'admin_readonly'] as const) {
    assert.equal(maySeeEnrollmentTokens(holding(permission), holding()), false, permission)
  }
  assert.equal(maySeeEnrollmentTokens(ADMIN, ADMIN), true)
})

test('one-time tokens of an identity with more permissions are not visible', () => {
  const holder = holding('enrollment')
  assert.equal(maySeeEnrollmentTokens(holder, holding('enrollment')), true)
  assert.equal(maySeeEnrollmentTokens(holder, holding('enrollment', 'identity.read')), false)
  assert.equal(maySeeEnrollmentTokens(holder, ADMIN), false)
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
