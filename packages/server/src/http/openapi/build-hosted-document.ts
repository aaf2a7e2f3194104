import { ACCOUNT_ROLES, type ResponseName, roleGives } from '@countersign/contract'
import { PRODUCT_VERSION } from '../../platform/version.ts'
import { ACCOUNT_TOKEN_PATH, isHostedPath } from '../pipeline/hosted-errors.ts'
import type { Access, Route } from '../pipeline/route.ts'
import { nameOf, type OpenApiDocument, sortedByName, usedComponents } from './build-document.ts'
import { type OpenApiOperation, operationIdOf, requestBodyOf } from './build-operation.ts'
import {
  HOSTED_ERRORS,
  HOSTED_PARAMETERS,
  HOSTED_SCHEMAS,
  HOSTED_SECURITY,
  type HostedParameter,
} from './hosted-components.ts'
import { describeHostedCall, type HostedNote, type HostedResponse } from './hosted-notes.ts'
import type { JsonSchema } from './to-json-schema.ts'

const DESCRIPTION =
  'For automation: a machine gets an access token from the identity provider of its organization and sends it in the header `Authorization: Bearer`. ' +
  'Lists of `/core` are HAL pages, those of `/identity/v1` are arrays. Unknown members of bodies are refused, except those that only responses have.'

const JSON_TYPE = 'application/json'

/** The OpenAPI 3.1 document of the hosted API. It has every route of that API. Throws when the notes do not describe one. */
export function buildHostedDocument(routes: readonly Route[]): OpenApiDocument {
  const paths: Record<string, Record<string, OpenApiOperation>> = {}
  const tags = new Set<string>()
  const undescribed: string[] = []
  for (const route of routes) {
    for (const path of route.paths.filter((one) => isHostedPath(one))) {
      const note = describeHostedCall(route.method, path)
      if (!note) {
        undescribed.push(`${route.method} ${path}`)
        continue
      }
      const operation = buildHostedOperation(route, path, note)
      const template = path.replaceAll(/:(\w+)/g, '{$1}')
      paths[template] = { ...paths[template], [route.method.toLowerCase()]: operation }
      for (const tag of operation.tags) tags.add(tag)
    }
  }
  if (undescribed.length > 0) throw new TypeError(`http/openapi/hosted-notes.ts lacks ${undescribed.join(', ')}`)
  const own = {
    schemas: HOSTED_SCHEMAS,
    responses: HOSTED_ERRORS,
    parameters: HOSTED_PARAMETERS,
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Countersign hosted API', version: PRODUCT_VERSION, description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: [...tags].toSorted().map((name) => ({ name })),
    paths: sortedByName(paths),
    components: { ...usedComponents(paths, own), securitySchemes: HOSTED_SECURITY },
  }
}

function buildHostedOperation(route: Route, path: string, note: HostedNote): OpenApiOperation {
  const { method, access, body } = route
  const segments = path.split('/').filter((segment) => segment !== '')
  const inPath = segments.filter((segment) => segment.startsWith(':')).map((segment) => segment.slice(1))
  const parameters: readonly (string | HostedParameter)[] = [
    ...inPath,
    ...(note.parameters ?? []),
    ...(changesRecord(method, path) ? (['ifMatch'] as const) : []),
  ]
  const description = [note.description, requirementOf(access)].filter((line) => line !== undefined).join('\n\n')
  return {
    operationId: operationIdOf(method, segments),
    // `/core/v3/networks` is about networks.
    tags: [segments[2] ?? segments.at(-1) ?? ''],
    summary: note.summary,
    ...(description !== '' && { description }),
    security: access === 'anonymous' ? [] : [{ accessToken: [] }, { session: [] }],
    ...(parameters.length > 0 && {
      parameters: parameters.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    }),
    ...(body && { requestBody: requestBodyOf(body, nameOf) }),
    responses: { ...successOf(route, note.response), ...errorsOf(route, path) },
  }
}

function requirementOf(access: Access): string | undefined {
  if (typeof access !== 'object' || !('hosted' in access)) return undefined
  const { hosted } = access
  if (hosted === 'operator') return 'Needs an administrator of the organization that owns this controller.'
  const roles = ACCOUNT_ROLES.filter((role) => roleGives(role, hosted)).map((role) => `\`${role}\``)
  return `Needs an API account with the role ${roles.join(' or ')}, or an administrator.`
}

/** Whether a call changes one record, whose version callers can name. */
function changesRecord(method: string, path: string): boolean {
  const isChange = ['PUT', 'PATCH', 'DELETE'].includes(method) || /\/(rotate|pick-up|suspend|resume|repeat)$/.test(path)
  return isChange && path.includes('/:id')
}

/** The records whose version responses have. */
const VERSIONED: readonly ResponseName[] = [
  ...(['Network', 'NetworkGroup', 'ApiAccount', 'ApiAccountWithCredentials', 'HostedIdentity'] as const),
  ...(['IdentityProvider', 'Organization', 'OperatorOrganization', 'OrganizationQuotas'] as const),
  'AccountJob',
]
const ETag = { schema: { type: 'string' }, description: 'The version of the record, for `If-Match`' }

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

function successOf({ produces = JSON_TYPE }: Route, response: HostedResponse): Record<string, object> {
  const content = (schema: JsonSchema) => ({ [produces]: { schema } })
  switch (response.kind) {
    case 'one': {
      const { status = 200, of } = response
      const headers = VERSIONED.includes(of) && { headers: { ETag } }
      return {
        [status]: { description: status === 201 ? 'Created' : 'The record', ...headers, content: content(ref(of)) },
      }
    }
    case 'array':
      return { 200: { description: 'A list', content: content({ type: 'array', items: ref(response.of) }) } }
    case 'page':
      return { 200: { description: 'A page of a list', content: content(pageOf(response.key, ref(response.of))) } }
    case 'empty':
      return { 204: { description: 'Done' } }
  }
}

function pageOf(key: string, items: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['_links', 'page'],
    properties: {
      _embedded: {
        type: 'object',
        description: 'Absent when the page is empty',
        required: [key],
        properties: { [key]: { type: 'array', items } },
      },
      _links: { type: 'object', additionalProperties: { type: 'object' } },
      page: ref('Page'),
    },
  }
}

function errorsOf({ method, access, body }: Route, path: string): Record<string, object> {
  const error = (name: string) => ({ $ref: `#/components/responses/Hosted${name}` })
  if (path === ACCOUNT_TOKEN_PATH) return { 400: error('TokenBadRequest'), default: error('TokenRefused') }
  const changes = method !== 'GET'
  return {
    ...((body || !changes) && { 400: error('BadRequest') }),
    ...(access !== 'anonymous' && { 401: error('Unauthorized') }),
    ...(access !== 'anonymous' && changes && { 403: error('Forbidden') }),
    ...(path.includes('/:') && { 404: error('NotFound') }),
    ...(changes && { 409: error('Conflict') }),
    ...(changesRecord(method, path) && { 412: error('PreconditionFailed') }),
    default: error('Refused'),
  }
}
