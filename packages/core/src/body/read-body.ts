import { AppError, echoedValue } from '../app-error.ts'
import { foldAscii } from '../filter/filter.ts'
import { isJsonObject, type JsonObject, type JsonValue, newJsonObject } from '../json/json-value.ts'
import { type BodySchema, isOptional, memberNames, membersInOrder } from './body-schema.ts'

/** The names in responses that bodies may repeat without effect. */
export type ReadOnlyNames = readonly string[]

/**
 * Validates a parsed body. Returns only the members of the schema, under the schema's names.
 *
 * Existing clients send whole responses back, so unknown members are ignored; with `readOnly`, only these are, and others are refused. Null means "not given", except where it clears a member. Names
 * are case-insensitive. A member of the wrong JSON type is a parse error. Of several violated rules, the first in alphabetical order of the
 * fields is reported, as those clients expect.
 */
export function readBody(schema: BodySchema, body: JsonValue, readOnly?: ReadOnlyNames): JsonObject {
  if (body === null) return readBody(schema, newJsonObject())
  if (!isJsonObject(body)) {
    throw new AppError('COULD_NOT_VALIDATE', { field: 'body', reason: 'body must be a JSON object', value: '' })
  }
  if (readOnly) checkNames(schema, body, readOnly, '')
  const known = pickKnownMembers(schema, body, '')
  checkMembers(schema, known, '')
  return known
}

/** Members of objects in the body have no read-only names. The value is not repeated: it may be a secret under a misspelt name. */
function checkNames(schema: BodySchema, object: JsonObject, readOnly: ReadOnlyNames, path: string): void {
  const names = memberNames(schema)
  const ignored = new Set(readOnly.map(foldAscii))
  for (const [spelling, value] of Object.entries(object)) {
    const folded = foldAscii(spelling)
    const name = names.get(folded)
    if (name === undefined && !ignored.has(folded)) {
      throw violation(path + echoedValue(spelling), 'is not a known member', '')
    }
    const inner = name === undefined ? undefined : schema.properties?.[name]
    if (inner?.properties && isJsonObject(value)) checkNames(inner, value, [], `${path}${name}.`)
  }
}

function pickKnownMembers(schema: BodySchema, object: JsonObject, path: string): JsonObject {
  const names = memberNames(schema)
  const known = newJsonObject()
  const given = new Set<string>()
  for (const [spelling, value] of Object.entries(object)) {
    const name = names.get(foldAscii(spelling))
    if (name === undefined) {
      if (schema.additionalProperties === false) {
        throw violation(path + echoedValue(spelling), 'is not a known member', '')
      }
      continue
    }
    const memberPath = path + name
    if (given.has(name)) throw parseError(`the member ${memberPath} is given twice`)
    given.add(name)
    const memberSchema = schema.properties?.[name]
    if (!memberSchema || value === undefined) continue
    if (value !== null) known[name] = keepKnown(memberSchema, value, memberPath)
    else if (memberSchema.nullClears) known[name] = null
  }
  return known
}

function keepKnown(schema: BodySchema, value: JsonValue, path: string): JsonValue {
  if (schema.anyOf) {
    const fitting = schema.anyOf.find((alternative) => hasType(alternative, value))
    if (!fitting) throw wrongType(schema.anyOf.map((alternative) => alternative.type).join(' or '), value, path)
    return keepKnown(fitting, value, path)
  }
  if (!hasType(schema, value) && schema.refusedAs) throw new AppError(schema.refusedAs)
  if (!hasType(schema, value)) throw wrongType(schema.type ?? 'string', value, path)
  if (Array.isArray(value)) {
    return value.map((item, index) => (schema.items ? keepKnown(schema.items, item, `${path}.${index}`) : item))
  }
  return isJsonObject(value) && schema.properties ? pickKnownMembers(schema, value, `${path}.`) : value
}

function hasType(schema: BodySchema, value: JsonValue): boolean {
  switch (schema.type) {
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isJsonObject(value)
    // An enumeration has no type; all of ours contain strings.
    default:
      return typeof value === (schema.type ?? 'string')
  }
}

function checkMembers(schema: BodySchema, object: JsonObject, path: string): void {
  for (const [name, memberSchema] of membersInOrder(schema)) {
    const value = object[name]
    const field = path + name
    if (value === null) continue
    if (value !== undefined) checkValue(memberSchema, value, field, isOptional(schema, name))
    else if (!isOptional(schema, name)) {
      throw violation(field, 'is required', memberSchema.type === 'array' ? [] : undefined)
    }
  }
}

function checkValue(schema: BodySchema, value: JsonValue, field: string, mayBeBlank: boolean): void {
  if (schema.anyOf) {
    const fitting = schema.anyOf.find((alternative) => hasType(alternative, value))
    if (fitting) checkValue(fitting, value, field, mayBeBlank)
    return
  }
  // Existing clients send "" for an optional member without a value. They do not know enumerations with a minimum length.
  if (value === '' && mayBeBlank && !(schema.enum && schema.minLength)) return
  const shown = schema.secret ? '' : value
  if (schema.enum && !schema.enum.includes(value)) {
    throw violation(field, `should be one of [${schema.enum.join(' ')}]`, shown)
  }
  if (typeof value === 'string') checkText(schema, value, field, shown)
  else if (typeof value === 'number') checkNumber(schema, value, field)
  else if (Array.isArray(value)) {
    if (schema.maxItems !== undefined && value.length > schema.maxItems) {
      throw violation(field, `should have at most ${schema.maxItems} items`, `${value.length} items`)
    }
    for (const [index, item] of value.entries()) {
      if (schema.items) checkValue(schema.items, item, `${field}.${index}`, false)
    }
  } else if (isJsonObject(value) && schema.properties) checkMembers(schema, value, `${field}.`)
}

function checkText(schema: BodySchema, value: string, field: string, shown: JsonValue): void {
  if (schema.minLength !== undefined && value.length < schema.minLength) {
    throw refusal(schema, field, `should be at least ${schema.minLength} chars long`, shown)
  }
  if (schema.maxLength !== undefined && value.length > schema.maxLength) {
    throw refusal(schema, field, `should be at most ${schema.maxLength} chars long`, shown)
  }
  if (schema.format === 'uri' && !isUriLike(value)) {
    throw violation(field, `must be of type uri: ${JSON.stringify(echoedValue(value))}`, shown)
  }
}

function checkNumber(schema: BodySchema, value: number, field: string): void {
  if (schema.minimum !== undefined && value < schema.minimum) {
    throw violation(field, `should be greater than or equal to ${schema.minimum}`, value)
  }
  if (schema.maximum !== undefined && value > schema.maximum) {
    throw violation(field, `should be less than or equal to ${schema.maximum}`, value)
  }
}

/** Accepts a scheme or an absolute path. The fetch rules decide later what may be fetched, with their own error. */
function isUriLike(value: string): boolean {
  return value.startsWith('/') || URL.canParse(value) || /^[a-z][a-z0-9+.-]*:/i.test(value.slice(0, 32))
}

/** Some members have their own error code for every violation, except that they are missing. */
function refusal(schema: BodySchema, field: string, rule: string, value: JsonValue | undefined): AppError {
  return schema.refusedAs ? new AppError(schema.refusedAs) : violation(field, rule, value)
}

function violation(field: string, rule: string, value: JsonValue | undefined): AppError {
  return new AppError('COULD_NOT_VALIDATE', { field, reason: `${field} in body ${rule}`, value: echoedValue(value) })
}

function wrongType(expected: string, value: JsonValue, path: string): AppError {
  const got = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
  return parseError(`the member ${path} must be of type ${expected}, but is of type ${got}`)
}

function parseError(message: string): AppError {
  return new AppError('COULD_NOT_PARSE_BODY', { message })
}
