/** The entities of permissions. `admin` is not one of them: it comes from `isAdmin` only. */
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

/** Every possible value in an identity's `permissions`. */
export const PERMISSIONS: readonly Permission[] = [
  'admin_readonly',
  ...PERMISSION_ENTITIES.flatMap((entity): Permission[] => {
    return [entity, ...PERMISSION_ACTIONS.map((action) => `${entity}.${action}` as const)]
  }),
]
