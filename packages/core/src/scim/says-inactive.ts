import { foldAscii } from '../filter/filter.ts'
import type { JsonValue } from '../json/json-value.ts'
import { readScimMembers, readScimValues } from './scim-members.ts'
import { readScimPatch } from './scim-patch.ts'
import { SCIM_LIMITS } from './scim-schemas.ts'

/** Whether the body of a PUT or PATCH of a user says `active: false`, whatever else is in it, also what cannot be read. */
export function saysInactive(body: JsonValue | undefined): boolean {
  const members = readIfValid(() => readScimMembers(body))
  const operations = readScimValues(members?.get('operations')).slice(0, SCIM_LIMITS.maxOperations)
  if (operations.length === 0) return isFalse(members?.get('active'))
  const targets = operations.flatMap((operation) => readIfValid(() => readScimPatch({ Operations: [operation] })) ?? [])
  const last = targets.findLast(({ op, path }) => op !== 'remove' && path.attribute === 'active')
  return isFalse(last?.value)
}

function isFalse(value: JsonValue | undefined): boolean {
  return value === false || (typeof value === 'string' && foldAscii(value) === 'false')
}

function readIfValid<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
