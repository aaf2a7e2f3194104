/** The entities whose permission can be given for single actions. `admin` is not one of them: it comes from `isAdmin` only. */
const ENTITIES = [
  'auth-policy',
  'ca',
  'config',
  'config-type',
  'edge-router-policy',
  'enrollment',
  'external-jwt-signer',
  'identity',
  'posture-check',
  'router',
  'service',
  'service-edge-router-policy',
  'service-policy',
  'terminator',
] as const

export const PERMISSION_ACTIONS = ['create', 'read', 'update', 'delete'] as const

/** Pushing the keys of a signer, and nothing else of it. */
const PUSH_KEYS = 'push-keys'

/** API sessions. They are not created by a permission. */
const SESSION_PERMISSIONS = ['ops', 'ops.read', 'ops.update', 'ops.delete'] as const

export type PermissionEntity = (typeof ENTITIES)[number] | 'ops' | 'revocation'
export type PermissionAction = (typeof PERMISSION_ACTIONS)[number] | typeof PUSH_KEYS
export type Permission =
  | 'admin_readonly'
  | 'revocation'
  | (typeof SESSION_PERMISSIONS)[number]
  | (typeof ENTITIES)[number]
  | `${(typeof ENTITIES)[number]}.${(typeof PERMISSION_ACTIONS)[number]}`
  | `external-jwt-signer.${typeof PUSH_KEYS}`

/** Every possible value in an identity's `permissions`: those of existing controllers, `revocation`, and the one for pushing keys. */
export const PERMISSIONS: readonly Permission[] = [
  'admin_readonly',
  'revocation',
  `external-jwt-signer.${PUSH_KEYS}`,
  ...SESSION_PERMISSIONS,
  ...ENTITIES.flatMap((entity): Permission[] => {
    return [entity, ...PERMISSION_ACTIONS.map((action) => `${entity}.${action}` as const)]
  }),
]
