import * as contract from '@countersign/contract'
import { PRODUCT_VERSION } from '../../platform/version.ts'
import { CLIENT, MANAGEMENT } from '../api-paths.ts'
import { PARAMETERS } from '../pipeline/parameters.ts'
import type { Route } from '../pipeline/route.ts'
import { BOUND_TOKEN, PROOF } from './bound-token.ts'
import { buildOperation, type OpenApiOperation } from './build-operation.ts'
import { ENVELOPES, ERROR_RESPONSES } from './envelopes.ts'
import { type JsonSchema, type NameOf, toJsonSchema } from './to-json-schema.ts'

/** The two edge APIs, whose documents existing clients find at `/specs`. */
export const SPECS = {
  'edge-client': { base: CLIENT, title: 'Countersign client API' },
  'edge-management': { base: MANAGEMENT, title: 'Countersign management API' },
} as const

export type SpecId = keyof typeof SPECS

export function isSpecId(id: string): id is SpecId {
  return Object.hasOwn(SPECS, id)
}

/** Every API that has an OpenAPI document. */
export const DOCUMENT_IDS = [...(Object.keys(SPECS) as SpecId[]), 'hosted'] as const
export type DocumentId = (typeof DOCUMENT_IDS)[number]

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const DESCRIPTION =
  'A successful response is JSON with `data` and `meta`, an error is JSON with `error` and `meta`. ' +
  'Calls that need a session send its token in the header `zt-session`.'

const SECURITY_SCHEMES = {
  session: {
    type: 'apiKey',
    in: 'header',
    name: 'zt-session',
    description: `The token of a session. A session with a \`boundKey\` needs ${PROOF} with each call`,
  },
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: `An access token of the OpenID provider of this controller. ${BOUND_TOKEN}`,
  },
  token: {
    type: 'http',
    scheme: 'bearer',
    description: `A token of an External JWT Signer: for login, for enrollment, or as the second factor of a session. ${BOUND_TOKEN}`,
  },
}

/** Schemas with a name: the request bodies of the contract, and the data of responses. */
const NAMED: ReadonlyMap<object, string> = new Map(
  [...Object.entries(contract), ...Object.entries(contract.RESPONSES)].flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && 'type' in value ? [[value, name] as const] : [],
  ),
)

/** The component name of a schema. */
export const nameOf: NameOf = (schema) => NAMED.get(schema)

/** The OpenAPI 3.1 document of one edge API, built from its routes and their schemas. */
export function buildDocument(id: SpecId, routes: readonly Route[]): OpenApiDocument {
  const { base, title } = SPECS[id]
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  const tags = new Set<string>()
  for (const route of routes) {
    for (const path of route.paths) {
      if (path !== base && !path.startsWith(`${base}/`)) continue
      const relative = path.slice(base.length) || '/'
      if (!route.note) throw new TypeError(`the route ${route.method} ${path} has no note`)
      const operation = buildOperation(route, relative, route.note, nameOf)
      const template = relative.replaceAll(/:(\w+)/g, '{$1}')
      paths[template] = { ...paths[template], [route.method.toLowerCase()]: operation }
      for (const tag of operation.tags) tags.add(tag)
    }
  }
  return {
    openapi: '3.1.0',
    info: { title, version: PRODUCT_VERSION, description: DESCRIPTION },
    servers: [{ url: base }],
    tags: [...tags].toSorted().map((name) => ({ name })),
    paths: sortedByName(paths),
    components: {
      ...usedComponents(paths, { schemas: ENVELOPES, responses: ERROR_RESPONSES, parameters: PARAMETERS }),
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}

type Components = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The named schemas and the components of one document that the paths refer to, directly or through other components. */
export function usedComponents(paths: object, own: Components): OpenApiDocument['components'] {
  const schemas = [...NAMED].map(([schema, name]): [string, JsonSchema] => [name, toJsonSchema(schema, nameOf)])
  const all: Components = { ...own, schemas: { ...own.schemas, ...Object.fromEntries(schemas) } }
  const used: Record<string, Record<string, unknown>> = {}
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { $ref } = value as { $ref?: unknown }
    if (typeof $ref === 'string') visitReference($ref)
    for (const member of Object.values(value)) visit(member)
  }
  const visitReference = (pointer: string): void => {
    const [, , kind = '', name = ''] = pointer.split('/')
    if (used[kind]?.[name] !== undefined) return
    const target = all[kind]?.[name]
    if (target === undefined) throw new TypeError(`the document has no component ${pointer}`)
    used[kind] = { ...used[kind], [name]: target }
    visit(target)
  }
  visit(paths)
  return Object.fromEntries(Object.entries(used).map(([kind, components]) => [kind, sortedByName(components)]))
}

/** Sorted, so that a new route changes no other lines of the document. */
export function sortedByName<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
