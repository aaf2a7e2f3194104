import type { ResponseName } from '@countersign/contract'
import type { HostedParameter } from './hosted-components.ts'

/** A successful response of the hosted API. Unlike those of the edge APIs, it has no envelope. */
export type HostedResponse =
  | { readonly kind: 'one'; readonly of: ResponseName; readonly status?: 200 | 201 }
  /** A bare array. */
  | { readonly kind: 'array'; readonly of: ResponseName }
  /** A HAL page: `_embedded` has the entries under `key`. */
  | { readonly kind: 'page'; readonly of: ResponseName; readonly key: string }
  | { readonly kind: 'empty' }

export interface HostedNote {
  readonly summary: string
  readonly response: HostedResponse
  readonly parameters?: readonly HostedParameter[]
  readonly description?: string
}

interface Collection {
  /** `an API account` */
  readonly one: string
  readonly many: string
  readonly of: ResponseName
  readonly created?: ResponseName
  /** The member of `_embedded`, for collections that are HAL pages. */
  readonly key?: string
  /** Of the list. */
  readonly parameters?: readonly HostedParameter[]
  /** Of POST, PUT and PATCH. */
  readonly writeParameters?: readonly HostedParameter[]
}

const LIST: readonly HostedParameter[] = ['page', 'size']
const HAL: readonly HostedParameter[] = ['page', 'size', 'sort', 'findByName']

/** Collections by path, without the version of the core service. Their usual calls need no other note. */
const COLLECTIONS: Readonly<Record<string, Collection>> = {
  '/core/networks': {
    one: 'a network',
    many: 'the networks of the organization',
    of: 'Network',
    key: 'networkList',
    parameters: [...HAL, 'findByNetworkGroupId', 'status'],
  },
  '/core/network-groups': {
    one: 'a network group',
    many: 'the network groups of the organization',
    of: 'NetworkGroup',
    key: 'networkGroupList',
    parameters: HAL,
  },
  '/identity/v1/api-account-identities': {
    one: 'an API account',
    many: 'the API accounts of the organization',
    of: 'ApiAccount',
    created: 'ApiAccountWithCredentials',
    parameters: LIST,
    writeParameters: ['confirmBroad'],
  },
  '/identity/v1/identities': {
    one: 'an identity',
    many: 'the API accounts and users of the organization',
    of: 'HostedIdentity',
    parameters: LIST,
  },
  '/identity/v1/user-identities': {
    one: 'a user',
    many: 'the users of the organization',
    of: 'HostedIdentity',
    parameters: LIST,
  },
  '/identity/v1/identity-providers': {
    one: 'an identity provider',
    many: 'the identity providers that the organization trusts',
    of: 'IdentityProvider',
  },
  '/identity/v1/account-jobs': {
    one: 'a job at an identity provider',
    many: 'the jobs at identity providers that are not done, or have failed',
    of: 'AccountJob',
  },
  '/identity/v1/operator/organizations': {
    one: 'an organization, as its operator',
    many: 'all organizations, as their operator',
    of: 'OperatorOrganization',
    parameters: ['name', 'active', ...LIST],
  },
  '/identity/v1/organizations': {
    one: 'an organization',
    many: 'the organization of the caller',
    of: 'Organization',
  },
}

const OPERATOR = '/identity/v1/operator/organizations'
const QUOTAS = { kind: 'one', of: 'OrganizationQuotas' } as const

const SELF: HostedNote = {
  summary: 'Get the identity of the caller',
  response: { kind: 'one', of: 'HostedIdentity' },
  description: 'A successful response confirms that the token is valid.',
}

/** Calls other than the usual ones of a collection. */
const NOTES: Readonly<Record<string, HostedNote>> = {
  'GET /identity/v1/identities/self': SELF,
  'GET /identity/v1/api-account-identities/self': SELF,
  'GET /identity/v1/user-identities/self': SELF,
  'GET /identity/v1/tenants': {
    summary: 'List the organization of the caller, by its former name',
    response: { kind: 'array', of: 'Organization' },
  },
  'GET /identity/v1/organization': {
    summary: 'Get the organization of the caller',
    response: { kind: 'one', of: 'Organization' },
  },
  'POST /identity/v1/logout': {
    summary: 'Do nothing, for clients that log out',
    response: { kind: 'one', of: 'LoggedOut' },
    description: 'An access token is valid until its provider revokes it or it expires.',
  },
  'POST /identity/v1/api-account-identities/:id/rotate': {
    summary: 'Create new credentials of an API account',
    response: { kind: 'one', of: 'ApiAccountWithCredentials' },
    description: 'The old credentials stay valid for `overlapMinutes`, 60 by default.',
  },
  'POST /identity/v1/api-account-identities/:id/pick-up': {
    summary: 'Get the credentials of a planned rotation, once',
    response: { kind: 'one', of: 'ApiAccountWithCredentials' },
    description: 'For administrators, and for the account itself with its old credentials. Without new ones, 404.',
  },
  'POST /identity/v1/account-jobs/:id/repeat': {
    summary: 'Do what is left of a job, and repeat a failed creation or rotation',
    response: { kind: 'one', of: 'ApiAccountWithCredentials' },
    description: '204 without a body when no credentials were created.',
  },
  'POST /identity/v1/identity-providers/:id/test': {
    summary: 'Test the administration of an identity provider',
    response: { kind: 'one', of: 'AdministrationTest' },
    description: 'Says which permission is missing at the provider.',
  },
  'POST /auth/v1/token': {
    summary: 'Trade the token of a job for an access token of this API',
    response: { kind: 'one', of: 'TradedToken' },
    description: 'Token exchange (RFC 8693), for jobs that outlive their token. Errors have the form of RFC 6749.',
  },
  'POST /core/networks/:id/exchange': {
    summary: 'Exchange the access token for a session of the controller',
    response: { kind: 'one', of: 'ExchangedSession' },
    description: 'The session has the permissions of the role of the account.',
  },
  [`POST ${OPERATOR}/:id/suspend`]: {
    summary: 'Suspend an organization',
    response: { kind: 'one', of: 'OperatorOrganization' },
  },
  [`POST ${OPERATOR}/:id/resume`]: {
    summary: 'End the suspension of an organization',
    response: { kind: 'one', of: 'OperatorOrganization' },
  },
  [`GET ${OPERATOR}/:id/quotas`]: { summary: 'Get the quotas of an organization', response: QUOTAS },
  [`PUT ${OPERATOR}/:id/quotas`]: { summary: 'Set quotas of an organization', response: QUOTAS },
  [`PATCH ${OPERATOR}/:id/quotas`]: { summary: 'Set some quotas of an organization', response: QUOTAS },
  'GET /identity/v1/audit-events': {
    summary: 'List what happened in the organization, the newest first',
    response: { kind: 'array', of: 'AuditEvent' },
    parameters: ['type', 'from', 'to', 'events', 'before'],
    description: 'Changes of its records are kept for 90 days, tokens of its accounts for 24 hours.',
  },
  'GET /auth/v1/roles': {
    summary: 'List the roles of the organization',
    response: { kind: 'one', of: 'RoleList' },
    parameters: ['identityId'],
  },
  'GET /auth/v1/roles/:id': { summary: 'Get a role', response: { kind: 'one', of: 'Role' } },
}

/** Describes a call of the hosted API; undefined when it is not in these tables. */
export function describeHostedCall(method: string, path: string): HostedNote | undefined {
  const known = withoutVersion(path)
  return NOTES[`${method} ${known}`] ?? describeUsual(method, known)
}

/** The core service has the same calls in both versions. */
function withoutVersion(path: string): string {
  return path.replace(/^\/core\/v\d+\//, '/core/')
}

/** The usual calls of a collection; undefined for others. */
function describeUsual(method: string, path: string): HostedNote | undefined {
  const isItem = path.endsWith('/:id')
  const collection = COLLECTIONS[isItem ? path.slice(0, -'/:id'.length) : path]
  if (!collection) return undefined
  const { one, many, of, created = of, key, parameters, writeParameters } = collection
  const onWrite = writeParameters && { parameters: writeParameters }
  const usual: Readonly<Record<string, HostedNote>> = isItem
    ? {
        GET: { summary: `Get ${one}`, response: { kind: 'one', of } },
        PUT: {
          summary: `Replace ${one}`,
          response: { kind: 'one', of },
          description: 'Omitted members are reset to their defaults. Members that only responses have are ignored.',
          ...onWrite,
        },
        PATCH: { summary: `Update members of ${one}`, response: { kind: 'one', of }, ...onWrite },
        DELETE: { summary: `Delete ${one}`, response: { kind: 'empty' } },
      }
    : {
        GET: {
          summary: `List ${many}`,
          response: key === undefined ? { kind: 'array', of } : { kind: 'page', of, key },
          ...(parameters && { parameters }),
        },
        POST: { summary: `Create ${one}`, response: { kind: 'one', of: created, status: 201 }, ...onWrite },
      }
  return usual[method]
}
