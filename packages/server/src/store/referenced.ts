import { AppError } from '@countersign/core'

/** So many of those who refer to something are named; more would help nobody. */
export const MAX_NAMED_REFERENCES = 20

/** Refuses to delete what others refer to, and says who they are. */
export function refuseReferenced(
  users: readonly { readonly id: string }[],
  { field, entity, by }: { readonly field: string; readonly entity: string; readonly by: string },
): void {
  if (users.length === 0) return
  const ids = `[${users.map(({ id }) => id).join(' ')}]`
  const reason = `entity type ${entity} referenced by ${by}: ${ids}`
  throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', { field, reason, value: ids })
}
