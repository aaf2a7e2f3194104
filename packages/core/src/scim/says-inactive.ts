import type { JsonValue } from '../json/json-value.ts'
import { findScimBoolean, readScimMembers, readScimValues } from './scim-members.ts'
import { readScimPatch } from './scim-patch.ts'
import { SCIM_LIMITS } from './scim-schemas.ts'

/** Whether the body of a PUT or PATCH of a user says `active: false`, whatever else is in it, also what cannot be read. */
export function saysInactive(body: JsonValue | undefined): boolean {
  const members = readIfValid(() => readScimMembers(body))
  const operations = readScimValues(members?.get('operations')).slice(0, SCIM_LIMITS.maxOperations)
  if (operations.length === 0) return findScimBoolean(members?.get('active')) === false
  const targets = operations.flatMap((operation) => readIfValid(() => readScimPatch({ Operations: [operation] })) ?? [])
  const last = targets.findLast(({ op, path }) => op !== 'remove' && path.attribute === 'active')
  return findScimBoolean(last?.value) === false
}

function readIfValid<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
