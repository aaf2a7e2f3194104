import type { ResponseName } from '@countersign/contract'
import { LIST_PARAMETERS } from '../pipeline/parameters.ts'
import type { Access, Route, RouteBody } from '../pipeline/route.ts'
import type { ResponseShape, RouteNote } from '../pipeline/route-note.ts'
import { dataEnvelope, listEnvelope } from './envelopes.ts'
import { type JsonSchema, type NameOf, toJsonSchema } from './to-json-schema.ts'

export interface OpenApiOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly { readonly $ref: string }[]
  readonly requestBody?: object
  readonly responses: Readonly<Record<string, object>>
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

export function buildOperation(route: Route, path: string, note: RouteNote, nameOf: NameOf): OpenApiOperation {
  const { method, access, body } = route
  const segments = path.split('/').filter((segment) => segment !== '')
  const isList = note.response.kind === 'list' && !note.response.whole
  const parameters = [
    ...segments.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1)),
    ...(isList ? LIST_PARAMETERS : []),
    ...(note.parameters ?? []),
  ]
  const description = [note.description, requirementOf(access)].filter((line) => line !== undefined).join('\n\n')
  return {
    operationId: operationIdOf(method, segments),
    tags: [segments[0] ?? 'version'],
    summary: note.summary,
    ...(description !== '' && { description }),
    security: securityOf(access, note),
    ...(parameters.length > 0 && {
      parameters: parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    }),
    ...(body && { requestBody: requestBodyOf(body, nameOf) }),
    responses: responsesOf(route, note, isList || segments.some((segment) => segment.startsWith(':'))),
  }
}

export function requestBodyOf(body: RouteBody, nameOf: NameOf): object {
  return {
    required: !body.optional,
    content: {
      ...(!body.text?.isOnly && {
        [body.form ? FORM_TYPE : JSON_TYPE]: {
          schema: body.text?.isInJson ? { type: 'string' } : toJsonSchema(body.schema, nameOf, false),
        },
      }),
      ...Object.fromEntries((body.text?.types ?? []).map((type) => [type, { schema: { type: 'string' } }])),
    },
  }
}

/** `getIdentitiesByIdServices` */
export function operationIdOf(method: string, segments: readonly string[]): string {
  const words = segments.flatMap((segment) =>
    segment.startsWith(':') ? ['by', segment.slice(1)] : segment.split(/[^A-Za-z0-9]+/).filter((word) => word !== ''),
  )
  const name = words.length === 0 ? ['root'] : words
  return method.toLowerCase() + name.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function securityOf(access: Access, { acceptsToken }: RouteNote): OpenApiOperation['security'] {
  if (access !== 'anonymous') return [{ session: [] }, { accessToken: [] }]
  return acceptsToken ? [{ token: [] }, {}] : []
}

function requirementOf(access: Access): string | undefined {
  if (access === 'anonymous') return undefined
  if (access === 'partial-session') return 'Needs a session, which may lack its second factor.'
  if (access === 'scim') return 'Needs a SCIM token.'
  if (access === 'any-session' || 'hosted' in access) return 'Needs a session.'
  if (access.entity === 'admin') {
    return access.action === 'read'
      ? 'Needs an administrator, or the permission `admin_readonly`.'
      : 'Needs an administrator.'
  }
  const { entity, action, isWhole } = access
  const permissions: string[] = isWhole ? [entity] : [entity, `${entity}.${action}`]
  if (action === 'read') permissions.push('admin_readonly')
  return `Needs an administrator, or one of the permissions ${permissions.map((name) => `\`${name}\``).join(', ')}.`
}

const errorResponse = (name: string) => ({ $ref: `#/components/responses/${name}` })

function responsesOf(route: Route, note: RouteNote, hasParameters: boolean): OpenApiOperation['responses'] {
  const { method, access, body, paths } = route
  // Calls of identity providers have the errors of their specifications.
  if (note.response.kind === 'empty') {
    const refused = { description: 'Refused', content: { [JSON_TYPE]: { schema: { type: 'object' } } } }
    return { [statusOf(note.response)]: successOf(route, note), 400: refused, default: refused }
  }
  const isEntity = paths.some((path) => path.includes('/:'))
  const changes = method !== 'GET'
  return {
    [statusOf(note.response)]: successOf(route, note),
    ...((body || hasParameters) && { 400: errorResponse('BadRequest') }),
    ...((access !== 'anonymous' || changes) && { 401: errorResponse('Unauthorized') }),
    ...(isEntity && { 404: errorResponse('NotFound') }),
    ...(changes && { 409: errorResponse('Conflict') }),
    ...(changes && isEntity && { 412: errorResponse('PreconditionFailed') }),
    ...(note.requiresVersion && { 428: errorResponse('PreconditionRequired') }),
    default: errorResponse('Refused'),
  }
}

function statusOf(response: ResponseShape): number {
  if (response.kind === 'created') return 201
  if (response.kind === 'empty') return response.status
  return response.kind === 'one' ? (response.status ?? 200) : 200
}

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })
const itemOf = (of: ResponseName | 'text'): JsonSchema => (of === 'text' ? { type: 'string' } : ref(of))

function successOf({ produces = JSON_TYPE }: Route, { response, isAlsoJson }: RouteNote): object {
  const json = (description: string, schema: JsonSchema) => ({ description, content: { [JSON_TYPE]: { schema } } })
  switch (response.kind) {
    case 'one':
      return json('The requested data', dataEnvelope(itemOf(response.of)))
    case 'list':
      return json(
        'A list',
        response.whole
          ? dataEnvelope({ type: 'array', items: itemOf(response.of) })
          : listEnvelope(itemOf(response.of)),
      )
    case 'created':
      return json('Created: the id and a link', ref('Created'))
    case 'done':
      return json('Done', ref('Done'))
    case 'empty':
      return { description: response.description }
    case 'other':
      return {
        description: response.description,
        // Without a schema: tools parse some of these types, such as YAML, before they compare.
        content: {
          ...(produces !== JSON_TYPE && { [produces]: {} }),
          ...((isAlsoJson || produces === JSON_TYPE) && { [JSON_TYPE]: { schema: { type: 'object' } } }),
        },
      }
  }
}
