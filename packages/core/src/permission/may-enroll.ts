import { hasPowerOver } from './has-power-over.ts'
import { isAllowed, type PermissionHolder, type RequiredPermission } from './is-allowed.ts'

/** What has one-time tokens made. */
const WAYS_TO_ENROLL: readonly RequiredPermission[] = [
  { entity: 'enrollment', action: 'create' },
  { entity: 'enrollment', action: 'update' },
  { entity: 'identity', action: 'create' },
  { entity: 'authenticator', action: 'update' },
]

/** Whether one may be shown the one-time tokens of another. Who holds such a token becomes the other, so to read it takes more than reading. */
export function mayEnroll(holder: PermissionHolder, other: PermissionHolder): boolean {
  return hasPowerOver(holder, other) && WAYS_TO_ENROLL.some((way) => isAllowed(holder, way))
}

/** Whether one may be told that another has one-time tokens: who has power over him, and who reads everything. */
export function seesEnrollmentsOf(holder: PermissionHolder, other: PermissionHolder): boolean {
  return readsEverything(holder) || hasPowerOver(holder, other)
}

export function readsEverything(holder: PermissionHolder): boolean {
  return isAllowed(holder, { entity: 'admin', action: 'read' })
}
