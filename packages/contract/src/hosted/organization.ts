import { name, optional, text, url } from '../body-members.ts'
import { type CreateOf, field, type PatchOf, type SettingsOf, type WriteOf } from '../resource/field.ts'
import { resource } from '../resource/resource.ts'
import Type, { type Static } from '../schema/type.ts'
import { PROVIDER_KINDS } from './provider-kind.ts'

const label = () => Type.String({ minLength: 1, maxLength: 63 })
const link = (description: string) => field(url(), { description, default: null })
/** The organization; that of the caller unless given. */
const organizationId = () => text(64)

/** An organization, which owns networks. */
export const ORGANIZATION = resource({
  name: field(name()),
  label: field(label()),
  active: field(Type.Boolean(), { default: true }),
})

/** An identity provider whose tokens an organization trusts. Answers have the members in this order. */
export const IDENTITY_PROVIDER = resource({
  organizationId: field(organizationId(), { writeOnly: true, optional: true }),
  name: field(name()),
  kind: field(Type.Enum([...PROVIDER_KINDS])),
  issuer: field(url()),
  discoveryUrl: link('The discovery document'),
  jwksUri: field(url(), {
    description: 'Where the keys are fetched; from the discovery document unless given',
    default: '',
    blankIsIgnored: true,
  }),
  tokenUrl: link('Where tokens are asked for: `authenticationUrl` of the accounts made here'),
  audience: field(text(512), { description: 'What `aud` of a token must be, or hold, exactly', default: null }),
  clientIdClaim: field(text(512), { description: 'Which claim names the client', default: null }),
  requiredScope: field(text(512), { description: 'The scope that a token must have', default: null }),
  registrationUrl: link('Where clients are registered (RFC 7591)'),
  registrationToken: field(Type.String({ maxLength: 4096, secret: true }), {
    description: 'What the provider wants to see before it registers a client; sealed, and in no answer',
    writeOnly: true,
    optional: true,
  }),
  enabled: field(Type.Boolean(), { default: true }),
})

export const ACCOUNT_ROLES = ['admin', 'read-only'] as const
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

/** A machine that may call the hosted API. */
export const API_ACCOUNT = resource({
  name: field(name()),
  identityProviderId: field(text(64), { createOnly: true }),
  organizationId: field(organizationId(), { createOnly: true, optional: true }),
  clientId: field(text(256), {
    description: 'Records a client that exists at the provider already',
    createOnly: true,
    optional: true,
  }),
  contactEmail: field(text(256), { default: null }),
  description: field(text(1024), { default: null }),
  role: field(Type.Enum([...ACCOUNT_ROLES]), { default: 'admin', blankIsIgnored: true }),
  active: field(Type.Boolean(), { default: true }),
})

const MAX_OVERLAP_MINUTES = 7 * 24 * 60

/** Body of the rotation of an account's credentials: for how long the old ones go on. */
export const ApiAccountRotate = Type.Object({
  overlapMinutes: optional(Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_MINUTES })),
  /** The new client, where the account records clients that exist already. */
  clientId: optional(text(256)),
})

/** A network of an organization. */
export const NETWORK = resource({
  name: field(name()),
  networkGroupId: field(text(64), {
    description: 'The first group of the organization unless given',
    optional: true,
    blankIsIgnored: true,
  }),
  size: field(text(64), { default: 'small', blankIsIgnored: true }),
  provider: field(text(64), { default: 'SELF', blankIsIgnored: true }),
  region: field(text(64), { default: 'local', blankIsIgnored: true }),
  controllerUrl: link('Where the controller of the network is reached; this controller unless given'),
})

/** Body of `POST /core/v3/networks/{id}/exchange`. */
export const NetworkExchange = Type.Object({ type: text(32) })

export const OrganizationWrite = ORGANIZATION.write
export const OrganizationPatch = ORGANIZATION.patch
export const IdentityProviderWrite = IDENTITY_PROVIDER.write
export const IdentityProviderPatch = IDENTITY_PROVIDER.patch
/** Body of POST. */
export const ApiAccountCreate = API_ACCOUNT.create
/** Body of PUT. */
export const ApiAccountWrite = API_ACCOUNT.write
export const ApiAccountPatch = API_ACCOUNT.patch
export const NetworkWrite = NETWORK.write
export const NetworkPatch = NETWORK.patch

export type OrganizationSettings = SettingsOf<typeof ORGANIZATION>
export type ProviderSettings = SettingsOf<typeof IDENTITY_PROVIDER>
export type AccountSettings = SettingsOf<typeof API_ACCOUNT>
export type NetworkSettings = SettingsOf<typeof NETWORK>

export type OrganizationWrite = WriteOf<typeof ORGANIZATION>
export type OrganizationPatch = PatchOf<typeof ORGANIZATION>
export type IdentityProviderWrite = WriteOf<typeof IDENTITY_PROVIDER>
export type IdentityProviderPatch = PatchOf<typeof IDENTITY_PROVIDER>
export type ApiAccountCreate = CreateOf<typeof API_ACCOUNT>
export type ApiAccountWrite = WriteOf<typeof API_ACCOUNT>
export type ApiAccountPatch = PatchOf<typeof API_ACCOUNT>
export type ApiAccountRotate = Static<typeof ApiAccountRotate>
export type NetworkWrite = WriteOf<typeof NETWORK>
export type NetworkPatch = PatchOf<typeof NETWORK>
export type NetworkExchange = Static<typeof NetworkExchange>
