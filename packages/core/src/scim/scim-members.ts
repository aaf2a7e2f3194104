import { foldAscii } from '../filter/filter.ts'
import { isJsonObject, type JsonValue } from '../json/json-value.ts'
import { hasUnsafeCharacter, withoutUnsafeCharacters } from '../text/plain-text.ts'
import { scimError } from './scim-error.ts'
import { attributeName } from './scim-filter.ts'
import { SCIM_LIMITS, SCIM_URN } from './scim-schemas.ts'

/** The attributes of a resource by their names in lower case. */
export type ScimMembers = ReadonlyMap<string, JsonValue>

const OWN = new Set([SCIM_URN.user, SCIM_URN.group].map(foldAscii))

/** Reads an object whose names are in any case, and of which those of the core schema may be in an object of their own. */
export function readScimMembers(value: JsonValue | undefined): ScimMembers {
  if (!isJsonObject(value)) throw scimError('invalidSyntax', 'a JSON object is expected')
  const members = new Map<string, JsonValue>()
  for (const [name, member] of Object.entries(value)) {
    const isNested = OWN.has(foldAscii(name)) && isJsonObject(member)
    for (const [own, inner] of isNested ? Object.entries(member) : [[name, member] as const]) {
      const attribute = attributeName(own)
      if (members.has(attribute)) throw scimError('invalidSyntax', 'an attribute is given twice')
      members.set(attribute, inner)
    }
  }
  return members
}

/** A text, or null when it is not given. An empty text is not given either (RFC 7643, section 2.5). */
export function readScimText(name: string, value: JsonValue | undefined, maxLength?: number): string | null {
  if (value === undefined || value === null || value === '') return null
  const limit = maxLength ?? SCIM_LIMITS.maxTextLength
  if (typeof value !== 'string') throw scimError('invalidValue', `${name} must be a string`)
  if (value.length > limit) throw scimError('invalidValue', `${name} should be at most ${limit} chars long`)
  if (hasUnsafeCharacter(value)) {
    throw scimError('invalidValue', `${name} may not contain control, zero-width or bidirectional characters`)
  }
  return value
}

/**
 * Like `readScimText`, for a text that is only shown: unsafe characters are left out instead of refused. Names in Persian and Indic scripts, and emoji,
 * have zero-width joiners.
 */
export function readShownText(name: string, value: JsonValue | undefined): string | null {
  const isTooLong = typeof value === 'string' && value.length > SCIM_LIMITS.maxTextLength
  return readScimText(name, typeof value === 'string' && !isTooLong ? withoutUnsafeCharacters(value) : value)
}

/** Whether a text is only the name of a core schema. */
export const isOwnSchema = (text: string): boolean => OWN.has(foldAscii(text))

/** Undefined for a value that is none. Entra sends booleans as the strings "True" and "False", some agents as a list of one value. */
export function findScimBoolean(value: JsonValue | undefined): boolean | undefined {
  const listed = Array.isArray(value) && value.length === 1 ? value[0] : value
  const only = isJsonObject(listed) ? listed.value : listed
  const text = typeof only === 'string' ? foldAscii(only) : only
  if (text === true || text === 'true') return true
  return text === false || text === 'false' ? false : undefined
}

/** Fails for a value that is none. */
export function readScimBoolean(name: string, value: JsonValue): boolean {
  const found = findScimBoolean(value)
  if (found !== undefined) return found
  throw scimError('invalidValue', `${name} must be true or false`)
}

/** The values of a multi-valued attribute; a single one may be given without an array. */
export function readScimValues(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null || value === '') return []
  return Array.isArray(value) ? value : [value]
}
