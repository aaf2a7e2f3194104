import { foldAscii } from '../filter/filter.ts'
import { isJsonObject, type JsonValue } from '../json/json-value.ts'
import { attributeName, parseScimPath } from './scim-filter.ts'
import { findScimBoolean, isOwnSchema, readScimValues } from './scim-members.ts'
import { SCIM_LIMITS } from './scim-schemas.ts'

/**
 * Whether the body of a PUT or PATCH of a user says `active: false`, whatever else is in it, also what the strict JSON parser or the schema
 * refuses. Of several `active` in one object, false counts. Never throws: what is not JSON says nothing.
 */
export function saysInactive(body: Uint8Array | undefined): boolean {
  const members = looseMembers(readIfValid(() => parseLoosely(new TextDecoder().decode(body))))
  const operations = readScimValues(memberOf(members, 'operations')).slice(0, SCIM_LIMITS.maxOperations)
  if (operations.length === 0) return activeIn(members) === false
  return operations.map(activeInOperation).findLast((active) => active !== undefined) === false
}

/** Also one without an end, which would otherwise be looked for again from each of its quotes. */
const STRING = /("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))(\s*:)?/gs
const ACTIVE = 'active'
const NUMBERED_ACTIVE = /^active#\d+$/

/** `JSON.parse`, which keeps only the last member of a name, of a text in which each name `active` has a number. */
function parseLoosely(text: string): JsonValue {
  return JSON.parse(
    text.replace(STRING, (all, string: string, colon: string | undefined, at: number) =>
      colon && attributeName(JSON.parse(string)) === ACTIVE ? `"${ACTIVE}#${at}"${colon}` : all,
    ),
  )
}

type LooseMembers = readonly (readonly [attribute: string, value: JsonValue])[]

function looseMembers(value: JsonValue | undefined): LooseMembers {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([name, member]): LooseMembers => {
    const own = isOwnSchema(name) && isJsonObject(member) ? Object.entries(member) : [[name, member] as const]
    return own.map(([inner, part]) => [attributeName(inner).replace(NUMBERED_ACTIVE, ACTIVE), part])
  })
}

function memberOf(members: LooseMembers, attribute: string): JsonValue | undefined {
  return members.findLast(([name]) => name === attribute)?.[1]
}

function activeIn(members: LooseMembers): boolean | undefined {
  const said = members.flatMap(([name, value]) => (name === ACTIVE ? [findScimBoolean(value)] : []))
  return said.includes(false) ? false : said.at(-1)
}

function activeInOperation(operation: JsonValue): boolean | undefined {
  const members = looseMembers(operation)
  const [op, path, value] = ['op', 'path', 'value'].map((name) => memberOf(members, name))
  if (typeof op === 'string' && foldAscii(op) === 'remove') return undefined
  if (typeof path !== 'string' || path === '' || isOwnSchema(path)) return activeIn(looseMembers(value))
  return readIfValid(() => parseScimPath(path))?.attribute === ACTIVE ? findScimBoolean(value) : undefined
}

function readIfValid<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
