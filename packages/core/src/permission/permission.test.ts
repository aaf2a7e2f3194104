import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PERMISSION_ACTIONS, PERMISSION_ENTITIES, PERMISSIONS, type Permission } from '@countersign/contract'
import { hasAllPermissionsOf } from './has-all-permissions-of.ts'
import { isAllowed } from './is-allowed.ts'

const holding = (...permissions: Permission[]) => ({ isAdmin: false, permissions })
const ADMIN = { isAdmin: true, permissions: [] }

describe('what a permission allows', () => {
  test('an action permission allows that action on that entity and nothing else', () => {
    for (const held of PERMISSION_ENTITIES) {
      for (const heldAction of PERMISSION_ACTIONS) {
        for (const entity of PERMISSION_ENTITIES) {
          for (const action of PERMISSION_ACTIONS) {
            const expected = held === entity && heldAction === action
            assert.equal(isAllowed(holding(`${held}.${heldAction}`), { entity, action }), expected)
          }
        }
      }
    }
  })

  test('an entity permission allows every action on that entity and on no other', () => {
    for (const held of PERMISSION_ENTITIES) {
      for (const entity of PERMISSION_ENTITIES) {
        for (const action of PERMISSION_ACTIONS)
          assert.equal(isAllowed(holding(held), { entity, action }), held === entity)
      }
    }
  })

  test('admin_readonly reads everything and changes nothing; no permission allows nothing', () => {
    for (const entity of PERMISSION_ENTITIES) {
      for (const action of PERMISSION_ACTIONS) {
        assert.equal(isAllowed(holding('admin_readonly'), { entity, action }), action === 'read')
        assert.equal(isAllowed(holding(), { entity, action }), false)
        assert.equal(isAllowed(ADMIN, { entity, action }), true)
      }
    }
  })

  test('D61 ops and its actions allow those actions on API sessions and nothing else', () => {
    for (const entity of PERMISSION_ENTITIES) {
      for (const action of PERMISSION_ACTIONS) {
        const isOnSessions = entity === 'api-session'
        assert.equal(isAllowed(holding('ops'), { entity, action }), isOnSessions, `ops: ${entity}.${action}`)
        for (const held of ['read', 'update', 'delete'] as const) {
          const expected = isOnSessions && held === action
          assert.equal(
            isAllowed(holding(`ops.${held}`), { entity, action }),
            expected,
            `ops.${held}: ${entity}.${action}`,
          )
        }
      }
    }
  })

  test('permissions allow no administrator calls except, for admin_readonly, reading', () => {
    for (const permission of PERMISSIONS) {
      const reads = permission === 'admin_readonly'
      assert.equal(isAllowed(holding(permission), { entity: 'admin', action: 'read' }), reads, permission)
      assert.equal(isAllowed(holding(permission), { entity: 'admin', action: 'change' }), false, permission)
    }
    assert.equal(isAllowed(ADMIN, { entity: 'admin', action: 'change' }), true)
  })
})

describe('has all permissions of another identity', () => {
  test('administrators have all permissions, and only they have those of an administrator', () => {
    assert.equal(hasAllPermissionsOf(ADMIN, ADMIN), true)
    assert.equal(hasAllPermissionsOf(ADMIN, holding(...PERMISSIONS)), true)
    assert.equal(hasAllPermissionsOf(holding(...PERMISSIONS), ADMIN), false)
  })

  test('a holder of permissions has those of identities with the same or fewer', () => {
    const cases: readonly [Permission[], Permission[], boolean][] = [
      [['identity'], [], true],
      [['identity'], ['identity'], true],
      [['identity'], ['identity.update'], true],
      [['identity.update'], ['identity'], false],
      [['identity'], ['authenticator'], false],
      [['identity'], ['admin_readonly'], false],
      [['admin_readonly'], ['identity.read'], true],
      [['admin_readonly'], ['identity.update'], false],
    ]
    for (const [held, other, expected] of cases) {
      assert.equal(hasAllPermissionsOf(holding(...held), holding(...other)), expected, `${held} over ${other}`)
    }
  })
})
