import { ORGANIZATION_QUOTAS } from '../hosted/operator.ts'
import { API_ACCOUNT, IDENTITY_PROVIDER, NETWORK, ORGANIZATION } from '../hosted/organization.ts'
import Type, { annotated, type TSchema } from '../schema/type.ts'
import { instant, map, nullable } from './response-members.ts'

const uuid = () => Type.String()
const seconds = () =>
  annotated(Type.Object({ epochSecond: Type.Integer(), nano: Type.Integer() }), {
    description: 'An instant of the identity service: seconds since 1970, and nanoseconds',
  })
const links = () => map(Type.Object({ href: Type.String() }))
const described = <Schema extends TSchema>(schema: Schema, description: string) => annotated(schema, { description })

/** The members of API accounts and users. */
const identity = {
  id: uuid(),
  organizationId: uuid(),
  tenantId: described(uuid(), 'The same as `organizationId`, for existing clients'),
  type: described(Type.String(), '`ApiAccountIdentity` or `UserIdentity`'),
  name: Type.String(),
  email: Type.String(),
  description: nullable(Type.String()),
  active: Type.Boolean(),
  role: Type.String(),
  createdAt: seconds(),
  updatedAt: seconds(),
  deletedAt: Type.Null(),
}

const CREDENTIALS = Type.Object({
  clientId: Type.String(),
  password: described(Type.String(), 'Returned once, and not stored'),
  authenticationUrl: described(Type.String(), 'The token endpoint of the identity provider'),
})

const account = {
  ...identity,
  ...API_ACCOUNT.response,
  auth0ClientId: nullable(Type.String()),
  awsCognitoClientId: nullable(Type.String()),
  identityProviderId: uuid(),
  clientId: nullable(Type.String()),
  authenticationUrl: nullable(Type.String()),
  rotatedAt: described(seconds(), 'When the current credentials were created'),
  rotatesAt: described(nullable(seconds()), 'When they are rotated by plan'),
  pickUpUntil: described(nullable(seconds()), 'Until when new credentials wait for being picked up'),
}

const role = {
  id: uuid(),
  role: described(Type.String(), 'The value of `role` of accounts'),
  code: Type.String(),
  name: Type.String(),
  description: Type.String(),
  permissions: described(Type.Array(Type.String()), 'What the role permits here, as `resource.action`'),
  sessionPermissions: described(
    Type.Array(Type.String()),
    'The permissions of the sessions that `exchange` gives; `admin` stands for all',
  ),
}

const quotas = () =>
  Type.Object(Object.fromEntries(Object.keys(ORGANIZATION_QUOTAS.response).map((name) => [name, Type.Integer()])))

/** The responses of the hosted API: the settings of its resources, and what their views add. */
export const HOSTED_VIEWS = {
  Network: Type.Object({
    ...NETWORK.response,
    id: uuid(),
    status: described(Type.String(), '`PROVISIONED`, or `DELETED`'),
    networkGroupId: uuid(),
    organizationId: uuid(),
    productVersion: Type.String(),
    isLocal: described(Type.Boolean(), 'Whether it is the network of this controller'),
    networkController: described(
      nullable(
        Type.Object({
          id: uuid(),
          networkId: uuid(),
          name: Type.String(),
          status: Type.String(),
          domainName: Type.String(),
          port: Type.Integer(),
          provider: Type.String(),
          createdAt: instant(),
          updatedAt: instant(),
        }),
      ),
      'Null while the address of the controller is not set',
    ),
    ownerIdentityId: uuid(),
    createdBy: uuid(),
    createdAt: instant(),
    updatedAt: instant(),
    deletedAt: nullable(instant()),
    deletedBy: nullable(uuid()),
    _links: links(),
  }),
  NetworkGroup: Type.Object({
    id: uuid(),
    name: Type.String(),
    shortName: Type.String(),
    organizationId: uuid(),
    createdAt: instant(),
    updatedAt: instant(),
    _links: links(),
  }),
  ExchangedSession: Type.Object({
    type: Type.Enum(['session']),
    value: described(Type.String(), 'The token of the session, for the header `zt-session`'),
    networkControllerUrl: described(Type.String(), 'The management API of the controller'),
    expiresAt: instant(),
  }),
  TradedToken: Type.Object({
    access_token: Type.String(),
    issued_token_type: Type.String(),
    token_type: Type.String(),
    expires_in: described(Type.Integer(), 'In seconds'),
  }),
  HostedIdentity: Type.Object(identity),
  ApiAccount: Type.Object(account),
  ApiAccountWithCredentials: Type.Object({
    ...account,
    credentials: Type.Optional(
      described(CREDENTIALS, 'The credentials file. Absent for a client that already exists at the provider'),
    ),
  }),
  IdentityProvider: Type.Object({
    ...IDENTITY_PROVIDER.response,
    id: uuid(),
    organizationId: uuid(),
    hasRegistrationToken: Type.Boolean(),
    createdAt: seconds(),
    updatedAt: seconds(),
  }),
  Organization: Type.Object({
    ...ORGANIZATION.response,
    id: uuid(),
    deleted: Type.Boolean(),
    mfaProvider: Type.String(),
    identityProviders: Type.Array(
      Type.Object({
        id: uuid(),
        organizationId: uuid(),
        name: Type.String(),
        active: Type.Boolean(),
        createdAt: seconds(),
        updatedAt: seconds(),
        deletedAt: Type.Null(),
      }),
    ),
    createdAt: seconds(),
    updatedAt: seconds(),
    deletedAt: Type.Null(),
  }),
  OperatorOrganization: Type.Object({
    ...ORGANIZATION.response,
    id: uuid(),
    isOperator: described(Type.Boolean(), 'Whether it owns this controller'),
    suspension: nullable(Type.Object({ at: seconds(), reason: nullable(Type.String()) })),
    usage: described(
      Type.Object({
        networks: Type.Integer(),
        accounts: Type.Integer(),
        providers: Type.Integer(),
        clients: Type.Integer(),
        lastUsedAt: nullable(seconds()),
      }),
      'How many records of each kind it has, and when one of its accounts was last used',
    ),
    quotas: described(quotas(), 'The quotas that apply'),
    createdAt: seconds(),
    updatedAt: seconds(),
  }),
  OrganizationQuotas: Type.Object({
    ...ORGANIZATION_QUOTAS.response,
    effective: described(quotas(), 'The quotas that apply'),
  }),
  Role: Type.Object(role),
  RoleList: Type.Object({
    content: Type.Array(Type.Object(role)),
    page: Type.Object({
      size: Type.Integer(),
      totalElements: Type.Integer(),
      totalPages: Type.Integer(),
      number: Type.Integer(),
    }),
  }),
  AuditEvent: Type.Object({
    id: Type.String(),
    at: instant(),
    type: described(Type.String(), 'Such as `network.created` or `token.refused`'),
    actor: described(
      nullable(
        Type.Object({
          type: Type.Enum(['api-account', 'user', 'operator', 'system']),
          id: nullable(uuid()),
          name: nullable(Type.String()),
        }),
      ),
      'Null for a token that names no account',
    ),
    target: nullable(Type.Object({ type: Type.String(), id: Type.String(), name: nullable(Type.String()) })),
    changed: described(Type.Array(Type.String()), 'The names of the members that were changed'),
    address: nullable(Type.String()),
    reason: described(nullable(Type.String()), 'Why a token was refused'),
    traceId: described(nullable(Type.String()), 'The `traceId` of the response to a token'),
  }),
  LoggedOut: Type.Object({ loggedOut: Type.Boolean() }),
}
