import { Html, html } from './html.ts'
import type { JsonSchema } from './to-json-schema.ts'

/** The note on a member that is always present, or on one that may be absent. */
export type DescribePresence = (isRequired: boolean) => string | undefined

interface RenderContext {
  readonly resolve: Resolve
  readonly describe: DescribePresence
  readonly depth: number
}

/** Resolves a `$ref` of the document. */
export type Resolve = (pointer: string) => JsonSchema

const MAX_DEPTH = 6

/** The members of a schema as a list, each with its type, bounds and description. */
export function renderSchema(schema: JsonSchema, resolve: Resolve, describe: DescribePresence, depth = 0): Html {
  const target = dereferenced(schema, resolve)
  const inner = innerObject(target, resolve)
  if (!inner || depth > MAX_DEPTH) return html``
  const required = new Set((inner.required as string[] | undefined) ?? [])
  const members = Object.entries((inner.properties as Record<string, JsonSchema> | undefined) ?? {})
  if (members.length === 0) return html``
  return html`<ul class="members">${members.map(([name, member]) => {
    return renderMember(name, member, describe(required.has(name)), { resolve, describe, depth })
  })}</ul>`
}

function renderMember(
  name: string,
  member: JsonSchema,
  presence: string | undefined,
  { resolve, describe, depth }: RenderContext,
): Html {
  const type = typeOf(member, resolve)
  const description = member.description ? html`<p>${inCode(String(member.description))}</p>` : undefined
  const inner = renderSchema(member, resolve, describe, depth + 1)
  return html`<li><code>${name}</code> <span class="type">${type}</span>${renderPresence(presence)}${description}${inner}</li>`
}

export function renderPresence(presence: string | undefined): Html | undefined {
  return presence === undefined ? undefined : html` <span class="presence">${presence}</span>`
}

/** Renders `code` in backticks as HTML. */
export function inCode(text: string): Html {
  const parts = text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return new Html(parts.map((part) => part.text).join(''))
}

function dereferenced(schema: JsonSchema, resolve: Resolve): JsonSchema {
  return typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema
}

/** The object whose members are listed: the schema itself, its items, or its first alternative with members. */
function innerObject(schema: JsonSchema, resolve: Resolve): JsonSchema | undefined {
  if (schema.properties) return schema
  if (schema.items) return innerObject(dereferenced(schema.items as JsonSchema, resolve), resolve)
  const alternatives = (schema.anyOf as JsonSchema[] | undefined) ?? []
  return alternatives.map((one) => innerObject(dereferenced(one, resolve), resolve)).find((one) => one !== undefined)
}

const BOUNDS: readonly (readonly [keyword: string, words: (bound: string) => string])[] = [
  ['minimum', (bound) => `from ${bound}`],
  ['maximum', (bound) => `up to ${bound}`],
  ['minLength', (bound) => `at least ${bound} characters`],
  ['maxLength', (bound) => `up to ${bound} characters`],
]

/** A short text for a type: `string (up to 256 characters)`. */
export function typeOf(schema: JsonSchema, resolve: Resolve): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? ''
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (alternatives) return alternatives.map((one) => typeOf(one, resolve)).join(' or ')
  if (schema.type === 'array') return `list of ${typeOf((schema.items as JsonSchema | undefined) ?? {}, resolve)}`
  const bounds = BOUNDS.filter(([keyword]) => schema[keyword] !== undefined)
  const words = bounds.map(([keyword, describe]) => describe(String(schema[keyword])))
  const type = Array.isArray(schema.type)
    ? schema.type.join(' or ')
    : String(schema.format ?? schema.type ?? 'anything')
  return words.length > 0 ? `${type} (${words.join(', ')})` : type
}
