import { BOUND_TOKEN } from './bound-token.ts'
import type { JsonSchema } from './to-json-schema.ts'

const text = { type: 'string' }
const count = (description: string) => ({ type: 'integer', minimum: 0, description })

/** Parameters of the hosted API. */
export const HOSTED_PARAMETERS = {
  id: { name: 'id', in: 'path', required: true, schema: text, description: 'The id, a UUID' },
  page: { name: 'page', in: 'query', schema: { type: 'integer', minimum: 0, default: 0 }, description: 'The page' },
  size: {
    name: 'size',
    in: 'query',
    schema: { type: 'integer', minimum: 0, maximum: 3000, default: 1000 },
    description: 'Entries per page. Larger values mean 3000',
  },
  sort: { name: 'sort', in: 'query', schema: text, description: '`name,asc` or `name,desc`; lists are sorted by name' },
  findByName: {
    name: 'findByName',
    in: 'query',
    schema: { type: 'string', maxLength: 256 },
    description: 'The whole name, in any letter case, or a pattern with `%`. `name` is accepted too',
  },
  findByNetworkGroupId: {
    name: 'findByNetworkGroupId',
    in: 'query',
    schema: text,
    description: 'Only networks of this group. `networkGroupId` is accepted too',
  },
  status: { name: 'status', in: 'query', schema: text, description: '`DELETED` lists deleted networks' },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    schema: text,
    description: 'The `ETag` of the version to change; 412 when it is not the current one',
  },
  type: { name: 'type', in: 'query', schema: text, description: 'Types of events, or their first parts, with commas' },
  from: {
    name: 'from',
    in: 'query',
    schema: { type: 'string', format: 'date-time' },
    description: 'The first instant',
  },
  to: { name: 'to', in: 'query', schema: { type: 'string', format: 'date-time' }, description: 'The last instant' },
  before: { name: 'before', in: 'query', schema: text, description: 'The id of the last event of the previous page' },
  events: {
    name: 'size',
    in: 'query',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
    description: 'Events per page',
  },
  name: {
    name: 'name',
    in: 'query',
    schema: { type: 'string', maxLength: 256 },
    description: 'The whole name, in any letter case, or a pattern with `%`',
  },
  active: {
    name: 'active',
    in: 'query',
    schema: { type: 'boolean' },
    description: 'Only active, or only inactive ones',
  },
  confirmBroad: {
    name: 'confirmBroad',
    in: 'query',
    schema: { type: 'boolean', default: false },
    description: 'Accepts conditions that jobs of others at the issuer can meet too',
  },
  identityId: { name: 'identityId', in: 'query', schema: text, description: 'Only the roles of this identity' },
} as const

export type HostedParameter = keyof typeof HOSTED_PARAMETERS

export const HOSTED_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  HostedError: {
    type: 'object',
    required: ['errors', 'status', 'traceId'],
    properties: {
      errors: { type: 'array', items: text, description: 'What is wrong, for people' },
      status: {
        type: 'object',
        required: ['code', 'label'],
        properties: { code: { type: 'integer' }, label: { ...text, description: 'For programs' } },
      },
      traceId: {
        ...text,
        description: 'Identifies the request in the log; for a refused token, the id of the decision with the reason',
      },
      field: { ...text, description: 'The refused member' },
    },
  },
  OAuthError: {
    type: 'object',
    required: ['error', 'error_description'],
    properties: {
      error: { ...text, description: 'For programs (RFC 6749 section 5.2)' },
      error_description: { ...text, description: 'What is wrong, for people' },
    },
  },
  Page: {
    type: 'object',
    required: ['size', 'totalElements', 'totalPages', 'number'],
    properties: {
      size: count('Entries per page'),
      totalElements: count('Entries on all pages'),
      totalPages: count('Number of pages'),
      number: count('This page'),
    },
  },
}

const error = (description: string, schema = 'HostedError') => ({
  description,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
})

/** The error responses, by status. Existing clients repeat a 403 or 404 for half a minute, so a bad token is always 401. */
export const HOSTED_ERRORS: Readonly<Record<string, object>> = {
  HostedBadRequest: error('The request is invalid'),
  HostedUnauthorized: error('No valid token or session; `WWW-Authenticate` has a challenge'),
  HostedForbidden: error('The role of the caller does not allow it'),
  HostedNotFound: error('Not found in the organization of the caller'),
  HostedConflict: error('The change conflicts with the current state'),
  HostedPreconditionFailed: error('The current version is not the one in `If-Match`'),
  HostedRefused: error('Any other error: too large, too many requests, the identity provider, or a server error'),
  HostedTokenBadRequest: error('The request or its `subject_token` is refused', 'OAuthError'),
  HostedTokenRefused: error('Any other error: too large, too many requests, or a server error', 'OAuthError'),
}

export const HOSTED_SECURITY = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    description: `An access token of an API account, from the identity provider of its organization. ${BOUND_TOKEN}`,
  },
  session: {
    type: 'apiKey',
    in: 'header',
    name: 'zt-session',
    description: 'The session of an administrator of this controller, for the organization that owns it',
  },
}
