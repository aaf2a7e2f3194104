import { MEMBERS } from './members.ts'

/** A JSON Schema of the document. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** Annotations of the contract that are not JSON Schema. */
const OWN_KEYWORDS = new Set(['secret', 'refusedAs', 'nullClears'])

/** The component name of a schema, if it has one. */
export type NameOf = (schema: object) => string | undefined

/** A schema of the contract as JSON Schema 2020-12, with descriptions of members and `$ref`s to named schemas. */
export function toJsonSchema(schema: unknown, nameOf: NameOf, isTop = true): JsonSchema {
  const name = isTop ? undefined : nameOf(schema as object)
  if (name) return { $ref: `#/components/schemas/${name}` }
  const result: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema as JsonSchema)) {
    if (!OWN_KEYWORDS.has(keyword) && value !== undefined) result[keyword] = convert(keyword, value, nameOf)
  }
  return 'nullClears' in (schema as JsonSchema) ? orNull(result) : result
}

/** An enumeration has no type. */
function orNull({ type, enum: values, ...others }: JsonSchema): JsonSchema {
  return Array.isArray(values) ? { ...others, enum: [...values, null] } : { ...others, type: [type, 'null'] }
}

const SCHEMA_LISTS = new Set(['anyOf', 'allOf', 'oneOf'])
const SCHEMA_MAPS = new Set(['properties', 'patternProperties'])

function convert(keyword: string, value: unknown, nameOf: NameOf): unknown {
  if (SCHEMA_LISTS.has(keyword)) return (value as unknown[]).map((one) => toJsonSchema(one, nameOf, false))
  if (keyword === 'items') return toJsonSchema(value, nameOf, false)
  if (!SCHEMA_MAPS.has(keyword)) return value
  return Object.fromEntries(
    Object.entries(value as JsonSchema).map(([member, schema]) => [member, described(member, schema, nameOf)]),
  )
}

function described(member: string, schema: unknown, nameOf: NameOf): JsonSchema {
  const converted = toJsonSchema(schema, nameOf, false)
  const description = MEMBERS[member]
  return description === undefined || 'description' in converted ? converted : { ...converted, description }
}
