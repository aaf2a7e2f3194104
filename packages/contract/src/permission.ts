/** What a permission can be about. `admin` is not among them: it comes from `isAdmin` alone. */
export const PERMISSION_ENTITIES = [
  'api-session',
  'auth-policy',
  'authenticator',
  'controller',
  'enrollment',
  'external-jwt-signer',
  'identity',
] as const

export const PERMISSION_ACTIONS = ['create', 'read', 'update', 'delete'] as const

export type PermissionEntity = (typeof PERMISSION_ENTITIES)[number]
export type PermissionAction = (typeof PERMISSION_ACTIONS)[number]
export type Permission = 'admin_readonly' | PermissionEntity | `${PermissionEntity}.${PermissionAction}`

/** Every value that an identity's `permissions` may hold. */
export const PERMISSIONS: readonly Permission[] = [
  'admin_readonly',
  ...PERMISSION_ENTITIES.flatMap((entity): Permission[] => {
    return [entity, ...PERMISSION_ACTIONS.map((action) => `${entity}.${action}` as const)]
  }),
]
