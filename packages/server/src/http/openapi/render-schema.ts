import { Html, html } from './html.ts'
import type { JsonSchema } from './to-json-schema.ts'

/** What is said of a member that is always there, or of one that is not. */
export type SayNeed = (isRequired: boolean) => string | undefined

interface Place {
  readonly resolve: Resolve
  readonly say: SayNeed
  readonly depth: number
}

/** Finds what a reference of the document leads to. */
export type Resolve = (pointer: string) => JsonSchema

const MAX_DEPTH = 6

/** The members of a schema as a list, each with its type, its bounds and a word on it. */
export function renderSchema(schema: JsonSchema, resolve: Resolve, say: SayNeed, depth = 0): Html {
  const target = dereferenced(schema, resolve)
  const inner = innerObject(target, resolve)
  if (!inner || depth > MAX_DEPTH) return html``
  const required = new Set((inner.required as string[] | undefined) ?? [])
  const members = Object.entries((inner.properties as Record<string, JsonSchema> | undefined) ?? {})
  if (members.length === 0) return html``
  return html`<ul class="members">${members.map(([name, member]) => {
    return renderMember(name, member, say(required.has(name)), { resolve, say, depth })
  })}</ul>`
}

function renderMember(
  name: string,
  member: JsonSchema,
  need: string | undefined,
  { resolve, say, depth }: Place,
): Html {
  const type = typeOf(member, resolve)
  const description = member.description ? html`<p>${inCode(String(member.description))}</p>` : undefined
  const inner = renderSchema(member, resolve, say, depth + 1)
  return html`<li><code>${name}</code> <span class="type">${type}</span>${renderNeed(need)}${description}${inner}</li>`
}

export function renderNeed(need: string | undefined): Html | undefined {
  return need === undefined ? undefined : html` <span class="need">${need}</span>`
}

/** Text with `code` in it. */
export function inCode(text: string): Html {
  const parts = text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
  return new Html(parts.map((part) => part.text).join(''))
}

function dereferenced(schema: JsonSchema, resolve: Resolve): JsonSchema {
  return typeof schema.$ref === 'string' ? resolve(schema.$ref) : schema
}

/** The object whose members are worth a list: the schema itself, what it lists, or its only alternative that has some. */
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

/** A type in a few words: `string (up to 256 characters)`. */
export function typeOf(schema: JsonSchema, resolve: Resolve): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? ''
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' or ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const alternatives = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (alternatives) return alternatives.map((one) => typeOf(one, resolve)).join(' or ')
  if (schema.type === 'array') return `list of ${typeOf((schema.items as JsonSchema | undefined) ?? {}, resolve)}`
  const bounds = BOUNDS.filter(([keyword]) => schema[keyword] !== undefined)
  const words = bounds.map(([keyword, say]) => say(String(schema[keyword])))
  const type = Array.isArray(schema.type)
    ? schema.type.join(' or ')
    : String(schema.format ?? schema.type ?? 'anything')
  return words.length > 0 ? `${type} (${words.join(', ')})` : type
}
