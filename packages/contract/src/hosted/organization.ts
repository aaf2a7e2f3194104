import { name, openObject, optional, text, url } from '../body-members.ts'
import { MAX_TOKEN_CHARACTERS } from '../limits.ts'
import { type CreateOf, field, type PatchOf, type SettingsOf, type WriteOf } from '../resource/field.ts'
import { resource } from '../resource/resource.ts'
import { claimValues, instant, nullable } from '../responses/response-members.ts'
import Type, { type Static } from '../schema/type.ts'
import { Administration, AdministrationBody, AdministrationView } from './administration.ts'
import { PROVIDER_KINDS } from './provider-kind.ts'

const label = () => Type.String({ minLength: 1, maxLength: 63 })
const link = (description: string) => field(url(), { description, default: null })
const PROOF_TOKEN = 'A current access token of the client `clientId`, which proves that it belongs to the organization'
const proofToken = () => Type.String({ maxLength: MAX_TOKEN_CHARACTERS, secret: true, description: PROOF_TOKEN })
/** Default: the organization of the caller. */
const organizationId = () => text(64)

/** An organization, which owns networks. */
export const ORGANIZATION = resource({
  name: field(name()),
  label: field(label()),
  active: field(Type.Boolean(), { default: true }),
  audience: field(Type.String(), {
    description: 'The audience (`aud`) that tokens for the federated API accounts of the organization must have',
    readOnly: true,
  }),
})

/** An identity provider whose tokens an organization trusts. Member order is the order in responses. */
export const IDENTITY_PROVIDER = resource({
  organizationId: field(organizationId(), { writeOnly: true, optional: true }),
  name: field(name()),
  kind: field(Type.Enum([...PROVIDER_KINDS])),
  issuer: field(url()),
  discoveryUrl: link('URL of the discovery document'),
  jwksUri: field(url(), {
    description: 'URL of the key set. Default: from the discovery document',
    default: '',
    blankIsIgnored: true,
  }),
  tokenUrl: link('URL of the token endpoint: the `authenticationUrl` of accounts at this provider'),
  audience: field(text(512), {
    description:
      'The exact audience that a token must have (`aud`). Default for the kind `oidc`: the audience of the organization',
    default: null,
  }),
  clientIdClaim: field(text(512), { description: 'The claim that contains the client id', default: null }),
  requiredScope: field(text(512), { description: 'The scope that a token must have', default: null }),
  registrationUrl: field(url(), {
    description: 'Another spelling of `administration.registrationUrl`, with the kind rfc7591',
    writeOnly: true,
    optional: true,
    exported: false,
    responseSchema: nullable(Type.String()),
  }),
  registrationToken: field(Type.String({ maxLength: 4096, secret: true }), {
    description: 'Another spelling of `administration.registrationToken`. Stored sealed, never returned',
    writeOnly: true,
    optional: true,
  }),
  administration: field(Administration, {
    description: 'How the clients of API accounts are created and removed at the provider',
    accepts: AdministrationBody,
    responseSchema: AdministrationView,
    default: null,
    keptByPut: true,
  }),
  enabled: field(Type.Boolean(), { default: true }),
})

export const ACCOUNT_ROLES = ['admin', 'network-admin', 'read-only'] as const
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

/** An account has clients with secrets at its provider, or is federated: each token of its provider that meets its conditions acts as it. */
export const ACCOUNT_KINDS = ['client', 'federated'] as const
export type AccountKind = (typeof ACCOUNT_KINDS)[number]

/** A plan of rotation. The old credentials stay valid for `overlapHours`. */
const RotationPlan = Type.Object({
  everyDays: Type.Integer({ minimum: 1, maximum: 730 }),
  overlapHours: Type.Integer({ minimum: 1, maximum: 7 * 24 }),
})

/** A machine account of the hosted API. */
export const API_ACCOUNT = resource({
  name: field(name()),
  identityProviderId: field(text(64), { createOnly: true }),
  organizationId: field(organizationId(), { createOnly: true, optional: true }),
  clientId: field(text(256), {
    description: 'The id of a client that already exists at the provider',
    createOnly: true,
    optional: true,
  }),
  proofToken: field(proofToken(), { createOnly: true, optional: true }),
  contactEmail: field(text(256), { default: null }),
  description: field(text(1024), { default: null }),
  role: field(Type.Enum([...ACCOUNT_ROLES]), { default: 'read-only', blankIsIgnored: true }),
  active: field(Type.Boolean(), { default: true }),
  rotation: field(RotationPlan, {
    description: 'When the credentials are rotated, and how long the old ones stay valid then',
    default: null,
    keptByPut: true,
  }),
  kind: field(Type.Enum([...ACCOUNT_KINDS]), {
    description: 'Whether its tokens name a client, the default, or meet `conditions`',
    createOnly: true,
    optional: true,
  }),
  conditions: field(claimValues(), {
    description:
      'Of a federated account, the claims that its tokens must have: path of the claim to a value, to an array of values of which one must match, or to `{"glob": pattern}`',
    default: null,
    accepts: openObject(),
    keptByPut: true,
  }),
  /** Stored in milliseconds. */
  expiresAt: field(Type.Integer(), {
    description: 'When access ends: sessions end and tokens are refused until an administrator extends it',
    default: null,
    accepts: Type.String({ maxLength: 64, format: 'date-time' }),
    responseSchema: instant(),
    keptByPut: true,
  }),
  lastUsedAt: field(nullable(instant()), { description: 'The last use of a token, to the minute', readOnly: true }),
  lastUsedFrom: field(nullable(Type.String()), { description: 'The client address of the last use', readOnly: true }),
})

const MAX_OVERLAP_MINUTES = 7 * 24 * 60

/** Body for rotating an account's credentials. The old ones stay valid for `overlapMinutes`. */
export const ApiAccountRotate = Type.Object({
  overlapMinutes: optional(Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_MINUTES })),
  /** The new client, when the clients of the account are not registered by the controller. */
  clientId: optional(text(256)),
  proofToken: optional(proofToken()),
})

/** A network of an organization. */
export const NETWORK = resource({
  name: field(name()),
  networkGroupId: field(text(64), {
    description: 'Default: the first group of the organization',
    optional: true,
    blankIsIgnored: true,
  }),
  size: field(text(64), { default: 'small', blankIsIgnored: true }),
  provider: field(text(64), { default: 'SELF', blankIsIgnored: true }),
  region: field(text(64), { default: 'local', blankIsIgnored: true }),
  controllerUrl: link('URL of the controller of the network. Default: this controller'),
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
