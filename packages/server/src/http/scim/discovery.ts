import { SCIM_LIMITS, SCIM_URN } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import type { Route } from '../pipeline/route.ts'
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
}

interface Attribute extends Required<Omit<AttributeOptions, 'subAttributes'>> {
  readonly name: string
  readonly subAttributes?: readonly Attribute[]
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
    subAttributes: ['value', 'display', 'type', '$ref'].map((part) =>
      attribute(part, { description: `The ${part} of the group`, mutability: 'readOnly' }),
    ),
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
      attribute('type', { description: 'User', mutability: 'immutable' }),
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
    scimRoute('GET', path, (call) => {
      const all = SCHEMAS.map((schema) => view(schema, baseUrlOf(call)))
      return listResponse(all, { total: all.length, startIndex: 1 })
    }),
    scimRoute('GET', `${path}/:id`, (call) => {
      const schema = SCHEMAS.find((one) => one[key] === call.params.id)
      if (!schema) throw notFound('spec', call.params.id ?? '')
      return scimResponse(200, view(schema, baseUrlOf(call)))
    }),
  ]
  return [
    scimRoute('GET', '/ServiceProviderConfig', (call) => {
      const location = `${baseUrlOf(call)}/ServiceProviderConfig`
      return scimResponse(200, { ...PROVIDER_CONFIG, meta: { resourceType: 'ServiceProviderConfig', location } })
    }),
    ...listAndOne('/Schemas', 'id', schemaView),
    ...listAndOne('/ResourceTypes', 'name', typeView),
  ]
}
