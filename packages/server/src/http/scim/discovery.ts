import { AppError, foldAscii, SCIM_LIMITS, SCIM_URN } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { ROUTE_METHODS, type Route } from '../pipeline/route.ts'
import { listResponse, scimResponse, scimRoute } from './scim-call.ts'
import type { ScimContext } from './scim-parts.ts'
import { collectionOf, type ScimResourceName } from './scim-views.ts'

const supported = (isSupported: boolean) => ({ supported: isSupported })

const PROVIDER_CONFIG = {
  schemas: [SCIM_URN.providerConfig],
  patch: supported(true),
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: SCIM_LIMITS.maxPage },
  changePassword: supported(false),
  sort: supported(false),
  etag: supported(true),
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A SCIM token of the signer, which an administrator makes',
      primary: true,
    },
  ],
}

interface AttributeOptions {
  readonly type?: string
  readonly required?: boolean
  readonly caseExact?: boolean
  readonly mutability?: 'readWrite' | 'readOnly' | 'immutable'
  readonly returned?: 'default' | 'always'
  readonly uniqueness?: 'none' | 'server' | 'global'
  readonly multiValued?: boolean
  readonly description: string
  readonly subAttributes?: readonly Attribute[]
  /** The resources that a reference leads to. */
  readonly referenceTypes?: readonly ScimResourceName[]
  readonly canonicalValues?: readonly string[]
}

type OptionalPart = 'subAttributes' | 'referenceTypes' | 'canonicalValues'

interface Attribute extends Required<Omit<AttributeOptions, OptionalPart>>, Pick<AttributeOptions, OptionalPart> {
  readonly name: string
}

function attribute(name: string, options: AttributeOptions): Attribute {
  return {
    name,
    type: options.subAttributes ? 'complex' : 'string',
    multiValued: false,
    required: false,
    caseExact: false,
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...options,
  }
}

function reference(to: ScimResourceName, mutability: 'readOnly' | 'immutable'): Attribute {
  const description = `The address of the ${foldAscii(to)}`
  return attribute('$ref', { description, type: 'reference', referenceTypes: [to], caseExact: true, mutability })
}

const USER_ATTRIBUTES = [
  attribute('userName', {
    description: 'The name of the user, and of its identity',
    required: true,
    uniqueness: 'server',
  }),
  attribute('externalId', { description: 'The id of the user at the identity provider', caseExact: true }),
  attribute('displayName', { description: 'The name to show' }),
  attribute('active', {
    description: 'Whether the identity is enabled. False ends its sessions and refuses its credentials',
    type: 'boolean',
  }),
  attribute('name', {
    description: 'The parts of the name',
    subAttributes: ['formatted', 'familyName', 'givenName', 'middleName', 'honorificPrefix', 'honorificSuffix'].map(
      (part) => attribute(part, { description: `The part ${part}` }),
    ),
  }),
  attribute('emails', {
    description: 'Addresses',
    multiValued: true,
    subAttributes: [
      attribute('value', { description: 'The address' }),
      attribute('type', { description: 'Such as work' }),
      attribute('display', { description: 'The text to show' }),
      attribute('primary', { description: 'Whether it is the primary address', type: 'boolean' }),
    ],
  }),
  attribute('groups', {
    description: 'The groups of the user',
    multiValued: true,
    mutability: 'readOnly',
    subAttributes: [
      attribute('value', { description: 'The id of the group', caseExact: true, mutability: 'readOnly' }),
      reference('Group', 'readOnly'),
      attribute('display', { description: 'The displayName of the group', mutability: 'readOnly' }),
      attribute('type', {
        description: 'Groups have no groups in them',
        mutability: 'readOnly',
        canonicalValues: ['direct'],
      }),
    ],
  }),
]

const GROUP_ATTRIBUTES = [
  attribute('displayName', {
    description: 'The name of the group, of which its attribute is made',
    required: true,
    uniqueness: 'server',
  }),
  attribute('externalId', { description: 'The id of the group at the identity provider', caseExact: true }),
  attribute('members', {
    description: 'The members of the group',
    multiValued: true,
    subAttributes: [
      attribute('value', { description: 'The id of the user', caseExact: true, mutability: 'immutable' }),
      reference('User', 'immutable'),
      attribute('display', { description: 'The displayName of the user, or its userName', mutability: 'readOnly' }),
      attribute('type', { description: 'Users only', mutability: 'immutable', canonicalValues: ['User'] }),
    ],
  }),
]

interface ScimSchema {
  readonly name: ScimResourceName
  readonly id: string
  readonly description: string
  readonly attributes: readonly Attribute[]
}

const SCHEMAS: readonly ScimSchema[] = [
  { name: 'User', id: SCIM_URN.user, description: 'An identity', attributes: USER_ATTRIBUTES },
  { name: 'Group', id: SCIM_URN.group, description: 'Gives its members an attribute', attributes: GROUP_ATTRIBUTES },
]

/** Otherwise a client would take all resources for those that match (RFC 7644, section 4). */
function discoveryRoute(path: string, handle: Route['handle']): Route {
  return scimRoute('GET', path, (call) => {
    if (call.query.has('filter')) throw new AppError('FORBIDDEN', { message: 'this list cannot be filtered' })
    return handle(call)
  })
}

/** What the provider can find out about this server. */
export function discoveryRoutes({ baseUrlOf }: ScimContext): Route[] {
  const schemaView = ({ id, name, description, attributes }: ScimSchema, baseUrl: string) => ({
    schemas: [SCIM_URN.schema],
    id,
    name,
    description,
    attributes,
    meta: { resourceType: 'Schema', location: `${baseUrl}/Schemas/${id}` },
  })
  const typeView = ({ id, name, description }: ScimSchema, baseUrl: string) => ({
    schemas: [SCIM_URN.resourceType],
    id: name,
    name,
    description,
    endpoint: `/${collectionOf(name)}`,
    schema: id,
    meta: { resourceType: 'ResourceType', location: `${baseUrl}/ResourceTypes/${name}` },
  })
  const listAndOne = (path: string, key: 'id' | 'name', view: typeof schemaView | typeof typeView): Route[] => [
    discoveryRoute(path, (call) => {
      const all = SCHEMAS.map((schema) => view(schema, baseUrlOf(call)))
      return listResponse(all, { total: all.length, startIndex: 1 })
    }),
    discoveryRoute(`${path}/:id`, (call) => {
      const schema = SCHEMAS.find((one) => one[key] === call.params.id)
      if (!schema) throw notFound('spec', call.params.id ?? '')
      return scimResponse(200, view(schema, baseUrlOf(call)))
    }),
  ]
  return [
    discoveryRoute('/ServiceProviderConfig', (call) => {
      const location = `${baseUrlOf(call)}/ServiceProviderConfig`
      return scimResponse(200, { ...PROVIDER_CONFIG, meta: { resourceType: 'ServiceProviderConfig', location } })
    }),
    ...listAndOne('/Schemas', 'id', schemaView),
    ...listAndOne('/ResourceTypes', 'name', typeView),
  ]
}

/** What RFC 7644 defines and this server does not offer. Clients tell it from a wrong path by the status. */
const UNSUPPORTED = [
  { path: '/Bulk', methods: ['POST'] },
  { path: '/.search', methods: ['POST'] },
  { path: '/Me', methods: ROUTE_METHODS },
] as const

export function unsupportedRoutes(): Route[] {
  return UNSUPPORTED.flatMap(({ path, methods }) =>
    methods.map((method) =>
      scimRoute(method, path, () => {
        throw new AppError('NOT_IMPLEMENTED')
      }),
    ),
  )
}
