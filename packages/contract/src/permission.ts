/** The entities of permissions. `admin` is not one of them: it comes from `isAdmin` only. */
export const PERMISSION_ENTITIES = [
  'api-session',
  'auth-policy',
  'authenticator',
  'ca',
  'config',
  'config-type',
  'controller',
  'edge-router-policy',
  'enrollment',
  'external-jwt-signer',
  'identity',
  'posture-check',
  'revocation',
  'router',
  'service',
  'service-edge-router-policy',
  'service-policy',
  'terminator',
] as const

export const PERMISSION_ACTIONS = ['create', 'read', 'update', 'delete'] as const

/** What existing controllers call the permission for API sessions. */
const SESSION_PERMISSIONS = ['ops', 'ops.read', 'ops.update', 'ops.delete'] as const

export type PermissionEntity = (typeof PERMISSION_ENTITIES)[number]
export type PermissionAction = (typeof PERMISSION_ACTIONS)[number]
export type Permission =
  | 'admin_readonly'
  | (typeof SESSION_PERMISSIONS)[number]
  | PermissionEntity
  | `${PermissionEntity}.${PermissionAction}`

/** Every possible value in an identity's `permissions`. */
export const PERMISSIONS: readonly Permission[] = [
  'admin_readonly',
  ...SESSION_PERMISSIONS,
  ...PERMISSION_ENTITIES.flatMap((entity): Permission[] => {
    return [entity, ...PERMISSION_ACTIONS.map((action) => `${entity}.${action}` as const)]
  }),
]
