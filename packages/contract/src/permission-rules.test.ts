import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PERMISSION_ACTIONS, PERMISSIONS, type Permission, type PermissionEntity } from './permission.ts'
import { hasAllPermissionsOf, isAllowed } from './permission-rules.ts'

const holding = (...permissions: Permission[]) => ({ isAdmin: false, permissions })
const ADMIN = { isAdmin: true, permissions: [] }
/** Every entity, with the actions for which its permission can be given alone. */
const ENTITIES = [...new Set(PERMISSIONS.map((permission) => permission.split('.')[0]))].filter(
  (entity) => entity !== 'admin_readonly',
) as PermissionEntity[]

describe('what a permission allows', () => {
  test('a permission allows its action, or every action, on its entity and nothing else', () => {
    for (const held of PERMISSIONS.filter((permission) => permission !== 'admin_readonly')) {
      const [heldEntity, heldAction] = held.split('.')
      for (const entity of ENTITIES) {
        for (const action of PERMISSION_ACTIONS) {
          const expected = heldEntity === entity && (heldAction === undefined || heldAction === action)
          assert.equal(isAllowed(holding(held), { entity, action }), expected, `${held}: ${entity}.${action}`)
        }
      }
    }
  })

  test('what takes the whole permission is not allowed by the permission for the action', () => {
    const required = { entity: 'identity', action: 'update', isWhole: true } as const
    assert.equal(isAllowed(holding('identity.update'), required), false)
    assert.equal(isAllowed(holding('identity'), required), true)
    assert.equal(isAllowed(ADMIN, required), true)
  })

  test('admin_readonly reads everything and changes nothing; no permission allows nothing', () => {
    for (const entity of ENTITIES) {
      for (const action of PERMISSION_ACTIONS) {
        assert.equal(isAllowed(holding('admin_readonly'), { entity, action }), action === 'read')
        assert.equal(isAllowed(holding(), { entity, action }), false)
        assert.equal(isAllowed(ADMIN, { entity, action }), true)
      }
    }
  })

  test('D61 the names are those of existing controllers, `revocation`, and the one for pushing keys', () => {
    assert.equal(PERMISSIONS.length, 77)
    assert.ok(PERMISSIONS.includes('external-jwt-signer.push-keys'))
    assert.deepEqual(PERMISSIONS.filter((permission) => /^(ops|revocation)/.test(permission)).toSorted(), [
      'ops',
      'ops.delete',
      'ops.read',
      'ops.update',
      'revocation',
    ])
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
      [['identity'], ['enrollment'], false],
      [['identity'], ['admin_readonly'], false],
      [['admin_readonly'], ['identity.read'], true],
      [['admin_readonly'], ['identity.update'], false],
    ]
    for (const [held, other, expected] of cases) {
      assert.equal(hasAllPermissionsOf(holding(...held), holding(...other)), expected, `${held} over ${other}`)
    }
  })
})
