const ENTITIES = [
  'api-session',
  'auth-policy',
  'authenticator',
  'controller',
  'enrollment',
  'external-jwt-signer',
  'identity',
]
const ACTIONS = ['create', 'read', 'update', 'delete']

/** Every permission that an identity may hold. */
export const PERMISSIONS: readonly string[] = [
  'admin_readonly',
  ...ENTITIES.flatMap((entity) => [entity, ...ACTIONS.map((action) => `${entity}.${action}`)]),
]
